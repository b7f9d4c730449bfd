const later=(address,loaded)=>import(address).then(({define})=>(loaded[address]??=define({})));
const loaded={};
const m_shared_dom=(()=>{
const element=(id)=>document.getElementById(id);
const part=(root,name)=>root.querySelector(`[data-part="${name}"]`);
function partsOf(root){
return new Proxy({},{get:(known,name)=>(known[name]??=part(root,String(name)))});
}
const REORDERING=/[\u202A-\u202E\u2066-\u2069]/g;
const READ=["title","aria-label","placeholder"];
function shown(text){
return String(text).replace(REORDERING,(character)=>`<U+${character.charCodeAt(0).toString(16).toUpperCase()}>`);
}
function setText(node,text){
const safe=shown(text);
if(node.textContent !==safe)node.textContent=safe;
}
function setAttribute(node,name,value){
if(value !=null&&READ.includes(name))value=shown(value);
if(value==null)node.removeAttribute(name);
else if(node.getAttribute(name)!==String(value))node.setAttribute(name,value);
}
function setSign(use,name){
setAttribute(use,"href",`#sign-${name}`);
}
function newElement(tag,className,text=""){
const node=document.createElement(tag);
if(className)node.className=className;
node.textContent=shown(text);
return node;
}
function newButton(className,text,act){
const button=newElement("button",className,text);
button.type="button";
button.addEventListener("click",act);
return button;
}
const SVG="http://www.w3.org/2000/svg";
function newShape(tag,attributes={}){
const shape=document.createElementNS(SVG,tag);
for(const [name,value] of Object.entries(attributes))shape.setAttribute(name,value);
return shape;
}
function newSign(name){
const sign=newShape("svg",{class:"sign","aria-hidden":"true"});
sign.append(newShape("use",{href:`#sign-${name}`}));
return sign;
}
function paintBadge(badge,{ground,text}){
if(badge.style.getPropertyValue("--badge-ground")!==ground)badge.style.setProperty("--badge-ground",ground);
if(badge.style.getPropertyValue("--badge-text")!==text)badge.style.setProperty("--badge-text",text);
}
function fromTemplate(id){
return element(id).content.firstElementChild.cloneNode(true);
}
function fillTexts(say,root=document){
const nodes=(selector)=>root.querySelectorAll(selector);
for(const node of nodes("[data-text]"))setText(node,say(node.dataset.text));
for(const node of nodes("[data-placeholder]"))node.placeholder=say(node.dataset.placeholder);
for(const node of nodes("[data-label]"))nameControl(node,say(node.dataset.label));
}
function nameControl(node,control){
const name=shown(control);
setAttribute(node,"aria-label",name);
if(node.localName !=="button")return;
const title=node.dataset.key?`${name} (${node.dataset.key})`:name;
if(node.title !==title)node.title=title;
}
function makeDialog(dialog){
dialog.addEventListener("click",(event)=>{
if(event.target===dialog||event.target.closest("[data-close]"))dialog.close();
});
return dialog;
}
return{element,part,partsOf,shown,setText,setAttribute,setSign,newElement,newButton,newShape,newSign,paintBadge,fromTemplate,fillTexts,nameControl,makeDialog};
})();
const m_shared_query=(()=>{
function queryOf(parameters){
return new URLSearchParams(Object.entries(parameters).map(([name,value])=>[name,String(value)]));
}
return{queryOf};
})();
const m_shared_signals=(()=>{
const Signal=AbortSignal;
function signalWithin(patience,signal){
return Signal.any([Signal.timeout(patience),...(signal?[signal]:[])]);
}
return{signalWithin};
})();
const m_jobs_job_api=(()=>{
const{queryOf}=m_shared_query;
const{signalWithin}=m_shared_signals;
const PATIENCE_MS=30_000;
const UPLOAD_PATIENCE_MS=600_000;
const PAGE_ITEMS=50;
class JobRefusal extends Error{
constructor(status,document,retryAfter=null){
super(document?.detail??`${status}`);
this.status=status;
this.retryAfter=/^\d+$/.test(retryAfter??"")?Number(retryAfter):null;
this.code=document?.error??null;
this.detail=document?.detail??null;
}
}
const path=(id)=>`/v1/jobs/${encodeURIComponent(id)}`;
const bearer=(token)=>({Authorization:`Bearer ${token}`});
class JobApi{
#g=null;
constructor(onTime){
this.onTime=onTime;
}
capabilities(){
this.#g??=this.#q("GET","/v1/capabilities").then(({document})=>document);
this.#g.catch(()=>(this.#g=null));
return this.#g;
}
async start(pipeline,body,key){
const fields={"Idempotency-Key":key,...(typeof body==="string"?{"Content-Type":"application/json"}:{})};
return(await this.#q("POST",path(pipeline),{fields,body,patience:UPLOAD_PATIENCE_MS})).document;
}
async state(job,after,tag,signal){
const query=after?`?after=${after}`:"";
const answer=await this.#q("GET",`${path(job.id)}${query}`,{fields:{...bearer(job.token),...(tag?{"If-None-Match":tag}:{})},signal});
return answer.status===304?null:{document:answer.document,tag:answer.headers.get("etag")};
}
async cancel(job){
return(await this.#q("POST",`${path(job.id)}/cancel`,{fields:bearer(job.token)})).document;
}
async refresh(job){
return(await this.#q("POST",`${path(job.id)}/token`,{fields:bearer(job.token)})).document;
}
async results(job,{after,outcome}){
const most=(await this.capabilities().catch(()=>null))?.limits?.results?.pageItems;
const limit=Number.isSafeInteger(most)?{limit:Math.min(most,PAGE_ITEMS)}:{};
const query=queryOf({after,...limit,...(outcome?{outcome}:{})});
return(await this.#q("GET",`${path(job.id)}/results?${query}`,{fields:bearer(job.token)})).document;
}
async failedRows(job){
const response=await this.#bt("GET",`${path(job.id)}/failed.csv`,{fields:bearer(job.token)});
if(!response.ok)throw new JobRefusal(response.status,await response.json().catch(()=>null));
const name=/filename="([^"/\\]+)"/.exec(response.headers.get("content-disposition")??"")?.[1];
return{blob:await response.blob(),name:name??"failed.csv"};
}
async #q(method,address,options={}){
const response=await this.#bt(method,address,options);
const document=response.status===304?null:await response.json().catch(()=>null);
if(response.status !==304&&!response.ok)throw new JobRefusal(response.status,document,response.headers.get("retry-after"));
return{status:response.status,headers:response.headers,document};
}
async #bt(method,address,{fields={},body,signal,patience=PATIENCE_MS}){
const askedAt=performance.now();
const response=await fetch(address,{method,headers:{Accept:"application/json, text/csv",...fields},body,cache:"no-store",signal:signalWithin(patience,signal)});
const time=Date.parse(response.headers.get("date")??"");
if(!Number.isNaN(time))this.onTime(time,performance.now()- askedAt);
return response;
}
}
return{JobRefusal,bearer,JobApi};
})();
const m_jobs_failed_rows=(()=>{
const KEPT_MS=10_000;
function saveFile({blob,name}){
const link=document.createElement("a");
link.href=URL.createObjectURL(blob);
link.download=name;
link.click();
setTimeout(()=>URL.revokeObjectURL(link.href),KEPT_MS);
}
return{saveFile};
})();
const m_messages_messages=(()=>{
const LANGUAGES=["fr","de","it","en"];
const LOCALES={fr:"fr-CH",de:"de-CH",it:"it-CH",en:"en-GB"};
function languageOf(...wanted){
const known=wanted.filter(Boolean).map((one)=>one.slice(0,2).toLowerCase());
return known.find((one)=>LANGUAGES.includes(one))??"en";
}
async function loadMessages(modules,language){
return(await modules[language]()).default;
}
function sentences(language,messages){
const plural=new Intl.PluralRules(LOCALES[language]);
return(name,values={})=>{
const form=messages[name]??name;
const text=typeof form==="string"?form:form[plural.select(values.count)]??form.other;
return text.replace(/\{(\w+)\}/g,(_,value)=>values[value]??"");
};
}
return{LANGUAGES,LOCALES,languageOf,loadMessages,sentences};
})();
const m_jobs_job_problems=(()=>{
const{loadMessages}=m_messages_messages;
const OF_ROWS=/^(author_|column_count|date_|duplicate_|isbn_|kept_|list_too_long|number_|quote_|rating_|row_|title_)/;
const PHRASES={
fr:()=>later("/assets/messages-fr-problems.fea47950fd3d.js",loaded),
de:()=>later("/assets/messages-de-problems.06903f904651.js",loaded),
it:()=>later("/assets/messages-it-problems.430735608c33.js",loaded),
en:()=>later("/assets/messages-en-problems.6f2d56b86185.js",loaded),
};
let phrases={};
async function learnProblems(language){
phrases=await loadMessages(PHRASES,language).catch(()=>({}));
}
function phraseOf(code){
return Object.hasOwn(phrases,code)?phrases[code]:null;
}
function valueOf(words,code){
const start=code.startsWith("isbn_")?words.lastIndexOf(" ("):words.indexOf(" (");
return start>=0&&words.endsWith(")")?words.slice(start):"";
}
function remarkInWords(problem,say){
const{code,field}=problem;
const message=typeof problem.message==="string"?problem.message:"";
const phrase=phraseOf(code);
if(phrase===null)return message||(code??"");
const column=field&&message.startsWith(`${field}: `)?field:null;
const photo=/^photo (\d+): /.exec(message)?.[1];
const place=column??(photo?say("photoNumber",{number:photo}):null);
const text=OF_ROWS.test(code)?phrase + valueOf(column?message.slice(column.length + 2):message,code):phrase;
return place?say("remarkOf",{place,text}):text;
}
function failureInWords(failure,say){
const{code,message}=failure??{};
const phrase=phraseOf(code);
if(phrase !==null)return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
const shared=`refused-${code}`;
const sentence=say(shared);
return sentence===shared?message??code??"":sentence;
}
return{learnProblems,remarkInWords,failureInWords};
})();
const m_jobs_job_results=(()=>{
const{newElement,setText}=m_shared_dom;
const{remarkInWords}=m_jobs_job_problems;
const NAMES=["line","outcome","title","author","isbn","problems"].map((name)=>`result-${name}`);
const OUTCOMES=["imported","updated","duplicate","removed","blank","enriched","approved","needs_review","failed"];
const FIRST={after:-1,before:0};
class JobResults{
#j=[FIRST];
#ai=null;
#r=null;
#bu=0;
constructor(parts,ask){
this.parts=parts;
this.ask=ask;
parts.outcome.addEventListener("change",()=>{
this.#j=[FIRST];
this.show();
});
}
count(number){
return Number.isFinite(number)?number.toLocaleString(this.locale):"?";
}
get isOpen(){
return !this.parts.pages.hidden;
}
toggle(){
this.parts.pages.hidden=this.isOpen;
if(this.isOpen&&this.#r===null)this.show();
}
next(){
if(this.#ai===null)return;
const{before}=this.#j.at(-1);
this.#j.push({after:this.#ai,before:before + this.#bv.length});
this.show();
}
previous(){
if(this.#j.length<2)return;
this.#j.pop();
this.show();
}
async show(){
const{parts,say}=this;
const number=(this.#bu +=1);
setText(parts.place,say("loading"));
const answer=await this.ask({after:this.#j.at(-1).after,outcome:parts.outcome.value});
if(number !==this.#bu)return;
if(answer===null)return setText(parts.place,"");
this.#r=answer;
this.#ai=Number.isSafeInteger(answer.next)?answer.next:null;
this.#bw();
}
speak(say,locale,counts){
this.say=say;
this.locale=locale;
const{parts}=this;
setText(parts.outcomelabel,say("outcome"));
setText(parts.previous,say("previousPage"));
setText(parts.next,say("nextPage"));
parts.scroll.setAttribute("aria-label",say("results"));
const known=OUTCOMES.filter((outcome)=>counts.some(([name])=>name===outcome));
const written=`${say("outcome-all")} ${known}`;
if(parts.outcome.dataset.written !==written){
parts.outcome.dataset.written=written;
const chosen=parts.outcome.value;
parts.outcome.replaceChildren(new Option(say("outcome-all"),""),...known.map((outcome)=>new Option(outcomeInWords(outcome,say,2),outcome)));
parts.outcome.value=known.includes(chosen)?chosen:"";
}
this.columns=["columnLineNumber","outcome","bookTitle","bookAuthor","bookISBN","problems"].map((name)=>say(name));
parts.columns.replaceChildren(...this.columns.map((name)=>{
const cell=newElement("th","",name);
cell.scope="col";
cell.setAttribute("role","columnheader");
return cell;
}));
this.#bw();
}
get #bv(){
return Array.isArray(this.#r?.items)?this.#r.items:[];
}
#bw(){
const{parts,say}=this;
parts.previous.disabled=this.#j.length<2;
parts.next.disabled=this.#ai===null;
if(this.#r===null)return;
const items=this.#bv;
parts.rows.replaceChildren(...items.map((item)=>rowOf(item,this)));
const first=this.#j.at(-1).before + 1;
setText(parts.place,items.length===0?say("noResults"):say("resultsPlace",{first:this.count(first),last:this.count(first + items.length - 1),total:this.count(this.#r.total)}));
}
}
function outcomeInWords(outcome,say,count=1){
return OUTCOMES.includes(outcome)?say(`outcome-${outcome}`,{count}):outcome;
}
function rowOf(item,{say,columns,locale}){
const value=item?.value??{};
const found=typeof value.enriched==="object"&&value.enriched !==null?value.enriched:{};
const row=document.createElement("tr");
const problems=(Array.isArray(item?.problems)?item.problems:[]).map((problem)=>remarkInWords(problem??{},say));
const sure=Number.isFinite(value.confidence)?[new Intl.NumberFormat(locale,{style:"percent"}).format(value.confidence)]:[];
const cells=[
item?.line??(Number.isSafeInteger(item?.number)?item.number + 1:""),
[outcomeInWords(item?.outcome??"",say),...sure].join(" · "),
value.title??found.title,
textOf(value.author??value.authors??found.authors),
value.isbn??found.isbn,
problems.join("; "),
];
row.setAttribute("role","row");
if(OUTCOMES.includes(item?.outcome))row.dataset.outcome=item.outcome;
row.append(...cells.map((cell,index)=>{
const node=newElement("td",NAMES[index],cell==null?"":String(cell));
node.setAttribute("role","cell");
node.dataset.column=columns[index];
return node;
}));
return row;
}
function textOf(value){
return Array.isArray(value)?value.join(", "):value;
}
return{OUTCOMES,JobResults,outcomeInWords};
})();
const m_shared_moments=(()=>{
const formatters=new Map();
function formatter(locale,zone,parts){
const name=`${locale} ${zone} ${Object.entries(parts)}`;
if(!formatters.has(name))formatters.set(name,newFormatter(locale,zone,parts));
return formatters.get(name);
}
function newFormatter(locale,zone,parts){
try{
return new Intl.DateTimeFormat(locale,{...parts,timeZone:zone});
}catch{
return new Intl.DateTimeFormat(locale,{...parts,timeZone:"UTC"});
}
}
function clockTime(instant,zone){
return formatter("en-GB",zone,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"}).format(instant);
}
function clockTimeToSecond(instant,zone){
return formatter("en-GB",zone,{hour:"2-digit",minute:"2-digit",second:"2-digit",hourCycle:"h23"}).format(instant);
}
function clockSeconds(instant){
return String(Math.floor(instant / 1000)% 60).padStart(2,"0");
}
function localDay(instant,zone){
return formatter("en-CA",zone,{year:"numeric",month:"2-digit",day:"2-digit"}).format(instant);
}
function dayInWords(day,locale){
const noon=Date.parse(`${day}T12:00:00Z`);
if(Number.isNaN(noon))return day;
return formatter(locale,"UTC",{day:"numeric",month:"long",year:"numeric"}).format(noon).replaceAll(" ","\u00a0");
}
function isPastItsValidity(timetable,now,zone){
return Boolean(timetable?.validUntil)&&localDay(now,zone)>timetable.validUntil;
}
function duration(seconds){
const whole=Math.max(0,Math.floor(seconds));
if(whole<60)return `${whole}\u00a0s`;
return minutesInWords(Math.floor(whole / 60));
}
function minutesInWords(minutes){
if(minutes<90)return `${minutes}\u00a0min`;
const [hours,rest]=[Math.floor(minutes / 60),minutes % 60];
return rest===0?`${hours}\u00a0h`:`${hours}\u00a0h\u00a0${rest}\u00a0min`;
}
function dataSize(bytes,locale,say){
if(bytes<1000)return `${bytes}\u00a0${say("byteUnit")}`;
const kilobytes=(bytes / 1000).toLocaleString(locale,{minimumFractionDigits:1,maximumFractionDigits:1});
return `${kilobytes}\u00a0${say("kilobyteUnit")}`;
}
function distance(metres,locale){
if(metres<1000)return `${Math.round(metres / 10)* 10}\u00a0m`;
return `${(metres / 1000).toLocaleString(locale,{maximumFractionDigits:1})}\u00a0km`;
}
return{clockTime,clockTimeToSecond,clockSeconds,localDay,dayInWords,isPastItsValidity,duration,minutesInWords,dataSize,distance};
})();
const m_jobs_job_card=(()=>{
const{fromTemplate,newElement,partsOf,setAttribute,setSign,setText}=m_shared_dom;
const{saveFile}=m_jobs_failed_rows;
const{JobRefusal}=m_jobs_job_api;
const{failureInWords}=m_jobs_job_problems;
const{JobResults,OUTCOMES,outcomeInWords}=m_jobs_job_results;
const{duration}=m_shared_moments;
const SIGNS={queued:"loading",running:"live",canceling:"loading",succeeded:"done",failed:"failing",canceled:"reduced",gone:"failing"};
const MARKS={failed:"grave",needs_review:"mild"};
const OVER={expired:"gone",unknownJob:"gone",unauthorized:"gone"};
class JobCard{
#aj="";
#y=false;
constructor(run,page){
this.run=run;
this.page=page;
this.root=fromTemplate("job-template");
this.parts=partsOf(this.root);
this.results=new JobResults(this.parts,(question)=>this.#da(question));
const acts={
cancel:()=>this.#db(),
results:()=>{
this.results.toggle();
this.show();
},
failed:()=>this.#dc(),
previous:()=>this.results.previous(),
next:()=>this.results.next(),
forget:()=>this.#dd(),
};
this.root.addEventListener("click",(event)=>{
const act=event.target.closest("button[data-act]")?.dataset.act;
if(!act)return;
if(act !=="forget")this.#y=false;
acts[act]();
});
}
focus(isByKeys){
this.parts.title.classList.toggle("ringless",!isByKeys);
this.parts.title.focus();
}
get name(){
const{pipeline,name}=this.run.job;
return this.page.say("jobNamed",{pipeline:this.page.say(`pipeline-${pipeline}`),name});
}
get state(){
return OVER[this.run.ending]??this.run.state;
}
stateInWords(){
const{say}=this.page;
if(this.run.ending in OVER)return say(`ending-${this.run.ending}`);
return this.run.state in SIGNS?say(`job-${this.run.state}`):this.run.state;
}
speak(){
const{parts,page}=this;
for(const name of ["cancel","results","failed","forget"])setText(parts[name],page.say(`do-${name}`));
this.results.speak(page.say,page.locale,this.run.completion?.counts??[]);
this.show();
}
show(){
const{run,parts,page}=this;
const{say}=page;
setAttribute(this.root,"data-state",this.state);
setAttribute(this.root,"data-job",run.job.id);
setSign(parts.sign,SIGNS[this.state]??"loading");
setText(parts.stateword,this.stateInWords());
setText(parts.title,this.name);
this.#de();
const counts=inOrder(run.completion?.counts??[]);
this.#df(counts);
const trouble=this.#y?say("forgetWarning"):this.#aj||this.#dg();
parts.trouble.hidden=trouble==="";
setText(parts.trouble,trouble);
const isGone=this.state==="gone";
parts.cancel.hidden=run.isOver;
parts.cancel.disabled=run.state==="canceling";
setText(parts.forget,say(this.#y?"do-forgetNow":"do-forget"));
parts.results.hidden=!run.isOver||isGone||!this.#bx;
setAttribute(parts.results,"aria-expanded",this.results.isOpen);
parts.failed.hidden=isGone||!(run.job.pipeline==="csv_import"&&counts.some(([outcome])=>outcome==="failed"));
if(isGone)parts.pages.hidden=true;
this.tick();
}
#df(counts){
const{parts,page}=this;
const{say,locale}=page;
parts.counts.hidden=parts.shares.hidden=counts.length===0;
const marks=counts.map(([outcome,count])=>`${count.toLocaleString(locale)} ${outcomeInWords(outcome,say,count)}`);
if(parts.counts.dataset.written===String(marks))return;
parts.counts.dataset.written=String(marks);
parts.counts.replaceChildren(...counts.map(([outcome],index)=>newElement("li",`mark ${MARKS[outcome]??"quiet"}`,marks[index])));
parts.shares.replaceChildren(...counts.map(([outcome,count])=>{
const share=newElement("span","");
share.dataset.outcome=outcome;
share.style.flexGrow=count;
return share;
}));
this.results.speak(say,locale,counts);
}
#dg(){
return failureInWords(this.run.completion?.failure,this.page.say);
}
#de(){
const{run,parts,page}=this;
const{processed,total,current,sentence}=run.progress;
const isCounted=total !==null&&total>0&&processed !==null;
const fraction=isCounted&&!run.isOver?Math.min(Math.max(processed / total,0),1):run.progress.fraction;
if(fraction===null)parts.bar.removeAttribute("value");
else parts.bar.value=fraction;
parts.bar.closest(".progress-line").hidden=run.isOver;
setAttribute(parts.bar,"aria-label",this.name);
setText(parts.percent,fraction===null?"":new Intl.NumberFormat(page.locale,{style:"percent"}).format(Math.floor(fraction * 100)/ 100));
const count=(number)=>number.toLocaleString(page.locale);
const done=isCounted?page.say("processedOf",{processed:count(processed),total:count(total)}):sentence??"";
setText(parts.step,run.isOver?this.#dh(count):[done,current].filter(Boolean).join(" · "));
}
#dh(count){
const{completion,job,progress}=this.run;
if(!(completion?.total>0))return "";
const successes=completion.successes??0;
const isStopped=completion.isPartial&&progress.total>0;
const name=!isStopped?(completion.isPartial?"endedPartial":"endedOf"):job.pipeline==="csv_import"?"stoppedRows":"stoppedItems";
const handled=Math.max(progress.processed??0,completion.total);
return this.page.say(name,{count:successes,successes:count(successes),total:count(isStopped?progress.total:completion.total),processed:count(handled)});
}
get #bx(){
const total=this.run.completion?.total??null;
return total===null?this.run.state !=="failed":total>0;
}
tick(){
const{run,parts,page}=this;
const age=run.heardAt===null?null:duration((performance.now()- run.heardAt)/ 1000);
const heard=run.isOver?"":[page.say(run.isLive?`by-${run.transport}`:"by-none"),age&&page.say("updatedAgo",{age})].filter(Boolean).join(" · ");
setText(parts.heard,heard);
const expiry=run.completion?.expiresAt??null;
const left=expiry===null?null:(expiry - page.clock.now())/ 1000;
const isHinted=left !==null&&this.state !=="gone"&&this.#bx;
setText(parts.expiry,isHinted?(left>0?page.say("keptFor",{span:duration(left)}):page.say("perhapsGone")):"");
}
#dd(){
if(this.run.isOver||this.#y)return this.page.forget(this);
this.#y=true;
this.show();
}
async #db(){
await this.#ba(()=>this.run.cancel());
}
async #dc(){
const file=await this.#ba(()=>this.page.api.failedRows(this.run.job));
if(file)saveFile(file);
}
#da(question){
return this.#ba(()=>this.page.api.results(this.run.job,question));
}
async #ba(act){
this.#aj="";
try{
return await act().catch(async(failure)=>{
if(failure.status !==401)throw failure;
await this.run.renew();
return act();
});
}catch(failure){
const{say}=this.page;
if(failure.status===410)this.run.markGone();
else if(failure instanceof JobRefusal)this.#aj=failureInWords({code:failure.code,message:failure.detail},say)||say("failedServer",{status:failure.status});
else this.#aj=say(failure?.name==="TimeoutError"?"failedTimeout":"failedUnreachable");
return null;
}finally{
this.show();
}
}
}
function inOrder(counts){
const rank=([outcome])=>(OUTCOMES.indexOf(outcome)+ OUTCOMES.length + 1)%(OUTCOMES.length + 1);
return [...counts].sort((one,other)=>rank(one)- rank(other));
}
return{JobCard};
})();
const m_engine_clock=(()=>{
const SLEPT_FROM_MS=5000;
class SteadyClock{
#by=performance.now();
#bz=Date.now();
now(){
return performance.now();
}
notice(){
const [steady,wall]=[performance.now(),Date.now()];
const gap=wall - this.#bz -(steady - this.#by);
[this.#by,this.#bz]=[steady,wall];
return gap>=SLEPT_FROM_MS;
}
}
const steadyClock=new SteadyClock();
class ServerClock{
#ak=Date.now()- steadyClock.now();
#ca=false;
learn(serverTime,{askedAt,answeredAt}){
if(serverTime===null)return;
const middle=(askedAt + answeredAt)/ 2;
const believed=middle + this.#ak;
const isWithin=this.#ca&&serverTime % 1000===0&&believed>=serverTime&&believed<serverTime + 1000;
if(!isWithin)this.#ak=serverTime - middle;
this.#ca=true;
}
learnFrom(arrival){
if(arrival.outcome==="content"||arrival.outcome==="unchanged")this.learn(arrival.marks.serverTime??null,arrival);
}
now(){
return steadyClock.now()+ this.#ak;
}
at(steady){
return steady + this.#ak;
}
}
function everySecond(clock,tick){
setTimeout(()=>everySecond(clock,tick),1000 -(clock().now()% 1000)+ 5);
tick();
}
return{steadyClock,ServerClock,everySecond};
})();
const m_engine_content_digest=(()=>{
function contentDigest(text){
let high=0xcbf29ce4;
let low=0x84222325;
for(const byte of new TextEncoder().encode(text)){
low=(low ^ byte)>>>0;
const product=low * 0x1b3;
high=(Math.imul(high,0x1b3)+ Math.floor(product / 2 ** 32)+(low<<8))>>>0;
low=product>>>0;
}
return [high,low].map((half)=>half.toString(16).padStart(8,"0")).join("");
}
return{contentDigest};
})();
const m_engine_marks=(()=>{
const MODES={
full:"full",degraded_static:"degradedStatic",stale_cache_fallback:"staleCacheFallback",
static_timeout_fallback:"staticTimeoutFallback",
};
const STATUSES={
applied:"applied",partial:"partial",degraded:"partial",mixed:"partial",skipped_budget:"skippedBudget",
disabled:"disabled",missing_cache:"missingCache",stale_cache:"staleCache",guarded_error:"guardedError",
};
const wordOf=(table,word)=>(word==null?null:Object.hasOwn(table,word)?table[word]:"unknown");
function wireWord(name){
if(name==null)return null;
const known=[...Object.entries(MODES),...Object.entries(STATUSES)].find(([,machine])=>machine===name);
return known?known[0]:"unknown";
}
function instant(text){
const time=Date.parse(/[t ][\d:.]+$/i.test(text??"")?`${text}Z`:text??"");
return Number.isNaN(time)?null:time;
}
const truncationOf=(text)=>(/:\d\d\.\d/.test(String(text))?0:999);
const LONGEST_MS=2 ** 31 * 1000;
const bounded=(ms)=>Math.max(-LONGEST_MS,Math.min(ms,LONGEST_MS));
function whole(value){
return Number.isFinite(value)?bounded(Math.trunc(value)):null;
}
function marksOfBody(body,transit=0){
const meta=body.meta??{};
const serverTime=instant(meta.serverTime);
return{
serverTime,
truncation:serverTime===null?null:truncationOf(meta.serverTime),
fetchedAt:instant(meta.rtFetchedAt),
cacheAge:whole(meta.rtCacheAgeMs),
transit,
mode:wordOf(MODES,meta.responseMode),
status:wordOf(STATUSES,meta.rtStatus),
appliedFlag:typeof body.rt?.applied==="boolean"?body.rt.applied:null,
reason:null,
};
}
function marksOfHead(headers){
return{
serverTime:instant(headers.get("date")),
truncation:truncationOf(),
fetchedAt:instant(headers.get("x-md-rt-fetched-at")),
cacheAge:digitsOf(headers,"x-md-rt-age-ms"),
status:wordOf(STATUSES,headers.get("x-md-rt-status")),
};
}
function servedAt({serverTime,truncation,fetchedAt=null,cacheAge=null},saysTime){
if(saysTime)return{time:serverTime,isCut:truncation>0};
return fetchedAt===null||cacheAge===null?null:{time:fetchedAt + cacheAge,isCut:fetchedAt % 1000===0};
}
function digitsOf(headers,name){
const text=headers?.get(name)??"";
return /^\d{1,12}$/.test(text)?Number(text):null;
}
const CLOCK_DIFFERENCE_MS=100;
function throughCaches(marks,headers,{taken,saysTime=false}){
const age=/^\s*(\d+)\s*(?:,|$)/.exec(headers.get("age")??"");
const told=age===null?0:Math.max(bounded(Number(age[1])* 1000),1);
const [date,served]=[instant(headers.get("date")),servedAt(marks,saysTime)];
const hidden=date===null||served===null?0:date - served.time;
const isSeen=hidden>=1000||(hidden>taken + CLOCK_DIFFERENCE_MS&&!served.isCut);
if(!isSeen||hidden<=told)return{...marks,transit:told};
return{...marks,serverTime:served.time,truncation:0,transit:bounded(hidden)};
}
function hintsOf(body,headers){
const hints={};
const expected=instant(body?.meta?.nextExpectedAt);
if(expected !==null)hints.nextExpectedAt=expected;
const spread=whole(body?.meta?.nextExpectedSpreadMs)??digitsOf(headers,"x-md-rt-spread-ms");
if(spread !==null)hints.spread=Math.max(spread,0);
const next=digitsOf(headers,"x-md-rt-next-ms");
if(next !==null)return{...hints,maxAge:next};
const control=headers?.get("cache-control")??"";
const age=/(?:^|,)\s*max-age\s*=\s*"?(\d+)/i.exec(control);
if(age&&Number(age[1])>0&&!/no-store|no-cache/i.test(control))hints.maxAge=bounded(Number(age[1])* 1000);
return hints;
}
return{wireWord,instant,truncationOf,marksOfBody,marksOfHead,digitsOf,throughCaches,hintsOf};
})();
const m_engine_rate_limit=(()=>{
const LONGEST_RESET_S=86_400;
const MOST_REMAINING=1_000_000_000;
function rateLimitOf(headers){
const limit=limitOf(headers.get("ratelimit")??"");
if(limit)return limit;
for(const prefix of ["ratelimit","x-ratelimit"]){
const found=both(whole(headers.get(`${prefix}-remaining`),MOST_REMAINING),untilReset(headers,`${prefix}-reset`));
if(found)return found;
}
return null;
}
function limitOf(value){
let tightest=null;
const older={};
for(const item of value.split(",")){
const found={};
for(const part of item.split(";")){
const [key,text]=part.split("=",2).map((half)=>half.trim());
if(key==="r")found.remaining=whole(text,MOST_REMAINING);
if(key==="t")found.reset=whole(text,LONGEST_RESET_S);
if(key==="remaining")older.remaining=whole(text,MOST_REMAINING);
if(key==="reset")older.reset=whole(text,LONGEST_RESET_S);
}
const limit=both(found.remaining,found.reset);
if(limit&&(tightest===null||limit.remaining<tightest.remaining))tightest=limit;
}
return tightest??both(older.remaining,older.reset);
}
function untilReset(headers,name){
const reset=whole(headers.get(name),Number.MAX_SAFE_INTEGER);
if(reset===null||reset<=LONGEST_RESET_S)return reset;
const left=reset - Math.floor(Date.parse(headers.get("date")??"")/ 1000);
return left>=0&&left<=LONGEST_RESET_S?left:null;
}
const both=(remaining,reset)=>(remaining==null||reset==null?null:{remaining,reset:reset * 1000});
function whole(text,limit){
const number=/^\d{1,15}$/.test(text?.trim()??"")?Number(text):null;
return number===null||number>limit?null:number;
}
return{rateLimitOf};
})();
const m_engine_arrival=(()=>{
const{contentDigest}=m_engine_content_digest;
const{digitsOf,hintsOf,marksOfBody,marksOfHead,throughCaches}=m_engine_marks;
const{rateLimitOf}=m_engine_rate_limit;
const LONGEST_PAUSE_S=999_999_999;
const LARGEST_BODY=8_000_000;
async function ask(address,{tag,wait,signal,now,fields=()=>({}),read:readDocument=readAnswer,ownsTime=false,send=fetch}){
const askedAt=now();
const arrival={outcome:"unreachable",isSent:false,status:0,bytes:0,marks:{},hints:{},body:null,tag:null,problem:null,evidence:{}};
try{
const headers={...fields(),Accept:"application/json","Cache-Control":"no-cache"};
if(tag !==null)headers["If-None-Match"]=tag;
if(wait !==null)headers.Prefer=`wait=${wait}`;
const url=address();
arrival.isSent=true;
const response=await send(url,{headers,signal,cache:"no-store"});
await read(response,arrival,{sentTag:tag,readDocument,ownsTime,taken:now()- askedAt,now});
}catch(failure){
if(signal.aborted)arrival.outcome="cancelled";
else arrival.reason=String(failure?.message??failure).slice(0,200);
}
return{...arrival,askedAt,answeredAt:arrival.answeredAt??now()};
}
async function read(response,arrival,{sentTag,readDocument,ownsTime,taken,now}){
const{status,headers}=response;
arrival.status=status;
const ofHead=marksOfHead(headers);
arrival.marks=throughCaches(ofHead,headers,{taken});
arrival.hints=hintsOf(null,headers);
arrival.rateLimit=rateLimitOf(headers);
arrival.evidence={
requestId:headers.get("x-md-request-id")??headers.get("x-request-id"),
entityTag:headers.get("etag"),
receipt:headers.get("x-md-receipt"),
};
if(status===304||status===204){
arrival.outcome="unchanged";
if(ownsTime)Object.assign(arrival.marks,{fetchedAt:null,cacheAge:null});
arrival.isOfAnotherCopy=status===304&&sentTag !==null&&!confirms(headers.get("etag"),sentTag);
return;
}
const text=await response.text();
arrival.answeredAt=now();
arrival.bytes=digitsOf(headers,"content-length")||text.length;
if(text !=="")arrival.evidence.digest=contentDigest(text);
const document=text.length<=LARGEST_BODY?parsed(text):null;
arrival.outcome=outcomeOf(status,headers);
if(arrival.outcome !=="content"){
arrival.problem=document;
arrival.retryAfter=arrival.outcome==="throttled"?retryAfter(headers):null;
return;
}
const found=document===null?null:readDocument(document,headers);
if(found===null||found.unreadable !==undefined){
arrival.outcome="undecodable";
arrival.reason=found?.unreadable??(document===null?"no JSON":"not what was asked for");
return;
}
arrival.body=found.body;
arrival.evidence.answered=found.answered??null;
arrival.tag=found.tag;
const saysTime=(found.marks?.serverTime??null)!==null;
arrival.marks=throughCaches({...ofHead,...found.marks},headers,{taken,saysTime});
arrival.hints={...arrival.hints,...found.hints};
}
function readAnswer(document,headers){
return{
body:document,
tag:headers.get("etag")??document.meta?.entityTag??null,
marks:definite(marksOfBody(document)),
hints:hintsOf(document,null),
};
}
function definite(values){
return Object.fromEntries(Object.entries(values).filter(([,value])=>value !==null));
}
function parsed(text){
try{
return JSON.parse(text);
}catch{
return null;
}
}
function confirms(answered,sent){
const opaque=(tag)=>tag.trim().replace(/^W\//,"");
return answered===null||opaque(answered)===opaque(sent);
}
function outcomeOf(status,headers){
if(status===206||status<200||(status>=300&&status<400))return "undecodable";
if(status<300)return "content";
if([401,403,407].includes(status))return "unauthorised";
if(status===408)return "timedOut";
if(status===410)return "gone";
if(status===429||(status===503&&retryAfter(headers)!==null))return "throttled";
if(status===421||status===425)return "serverError";
return status<500?"refused":"serverError";
}
function retryAfter(headers){
const text=headers.get("retry-after")?.trim();
if(!text)return null;
if(/^\d+$/.test(text))return{seconds:Math.min(Number(text),LONGEST_PAUSE_S)};
const date=/[a-z]/i.test(text)?Date.parse(text):NaN;
return Number.isNaN(date)?null:{date};
}
return{ask,readAnswer,outcomeOf,retryAfter};
})();
const m_engine_event_stream=(()=>{
const{outcomeOf,retryAfter}=m_engine_arrival;
const LONGEST_EVENT=8_000_000;
const LONGEST_RETRY_MS=300_000;
const pause=(ms,signal)=>
new Promise((resolve,reject)=>{
const timer=setTimeout(resolve,ms);
signal?.addEventListener("abort",()=>{
clearTimeout(timer);
reject(signal.reason);
},{once:true});
});
class EventStreamParser{
retry=null;
#bb="";
#al=[];
#bc="";
#bd=0;
#cb=null;
feed(text){
const events=[];
let rest=this.#bb + text;
const held=rest.endsWith("\r")?"\r":"";
if(held)rest=rest.slice(0,-1);
const lines=rest.split(/\r\n|\n|\r/);
this.#bb=lines.pop()+ held;
for(const line of lines)this.#di(line,events);
if(this.#bd + this.#bb.length>LONGEST_EVENT)throw new RangeError("the event is too long");
return events;
}
#di(line,events){
if(line==="")return this.#dj(events);
if(line.startsWith(":"))return;
const colon=line.indexOf(":");
const field=colon<0?line:line.slice(0,colon);
const value=colon<0?"":line.slice(colon + 1).replace(/^ /,"");
if(field==="data")this.#al.push(value);
if(field==="event")this.#bc=value;
if(field==="retry"&&/^[0-9]+$/.test(value))this.retry=Math.min(Number(value),LONGEST_RETRY_MS);
if(field==="id"&&!value.includes("\0"))this.#cb=value;
this.#bd +=line.length;
}
#dj(events){
if(this.#al.length>0)events.push({name:this.#bc||"message",id:this.#cb,data:this.#al.join("\n")});
[this.#al,this.#bc,this.#bd]=[[],"",0];
}
}
async function readEventStream(address,{lastId,fields={},signal,wait=0,send=fetch,onOpen,onLife,onRetry=()=>{},onEvent}){
if(wait>0)await pause(wait,signal);
const headers={...fields,Accept:"text/event-stream"};
if(lastId !==null)headers["Last-Event-ID"]=lastId;
const response=await send(address,{headers,signal,cache:"no-store"});
const type=response.headers.get("content-type")??"";
if(response.status !==200||!/^text\/event-stream *(;|$)/i.test(type)){
throw Object.assign(new TypeError(`no stream: ${response.status}`),{status:response.status,pause:pauseOf(response)});
}
onOpen();
const parser=new EventStreamParser();
const reader=response.body.pipeThrough(new TextDecoderStream()).getReader();
for(let piece=await reader.read();!piece.done;piece=await reader.read()){
onLife();
const events=parser.feed(piece.value);
if(parser.retry !==null)onRetry(parser.retry);
for(const event of events)onEvent(event);
}
}
function pauseOf({status,headers}){
if(outcomeOf(status,headers)!=="throttled")return null;
const date=Date.parse(headers.get("date")??"");
return{retryAfter:retryAfter(headers),serverTime:Number.isNaN(date)?null:date};
}
return{pause,EventStreamParser,readEventStream};
})();
const m_jobs_job_messages=(()=>{
const isObject=(value)=>value !==null&&typeof value==="object"&&!Array.isArray(value);
const text=(value)=>(typeof value==="string"&&value !==""?value:null);
function whole(value){
const number=typeof value==="string"&&/^-?\d{1,15}$/.test(value)?Number(value):value;
return Number.isSafeInteger(number)?number:null;
}
function instant(value){
const time=typeof value==="number"?value:Date.parse(text(value)??"");
return Number.isFinite(time)?time:null;
}
function readMessage(data){
try{
return messageOf(JSON.parse(data.replace(/^\uFEFF/,"")));
}catch{
return null;
}
}
function messageOf(value){
if(!isObject(value)||typeof value.type !=="string")return null;
const payload=isObject(value.payload)?value.payload:isObject(value.data)?value.data:value;
const [epoch,seq]=[whole(value.epoch),whole(value.seq)];
return{
type:value.type,
epoch,
position:epoch !==null&&seq !==null&&seq>0?{epoch,seq}:null,
covers:whole(value.covers),
body:bodyOf(value.type,payload),
};
}
function bodyOf(type,payload){
if(type==="job_started")return{kind:"started",total:whole(payload.totalCount)};
if(type==="job_progress")return{kind:"progress",...progressOf(payload)};
if(type==="reconnected"){
return{kind:"snapshot",state:text(payload.state),lastSeq:whole(payload.lastSeq),isRecovered:payload.recovered===true,...progressOf(payload)};
}
if(type==="job_complete")return{kind:"ended",ending:text(payload.status)??"succeeded",...completionOf(payload)};
if(type==="error"){
const nested=isObject(payload.error)?payload.error:{};
const failure={code:text(payload.code)??text(nested.code),message:text(payload.message)??text(nested.message)};
return{kind:"ended",ending:"failed",failure,...completionOf(payload)};
}
return{kind:"other"};
}
function progressOf(payload){
const fraction=Number.isFinite(payload.progress)?Math.min(Math.max(payload.progress,0),1):null;
return{
fraction,
sentence:text(payload.status),
processed:whole(payload.processedCount),
total:whole(payload.totalCount),
current:text(payload.currentItem),
};
}
function completionOf(payload){
const summary=isObject(payload.summary)?payload.summary:payload;
const counts=isObject(payload.counts)?payload.counts:{};
return{
total:whole(summary.totalProcessed),
successes:whole(summary.successCount),
failures:whole(summary.failureCount),
counts:Object.entries(counts).map(([outcome,count])=>[outcome,whole(count)]).filter(([,count])=>count>0),
isPartial:payload.partial===true,
expiresAt:instant(payload.expiresAt),
};
}
const positionText=({epoch,seq})=>`${epoch}.${seq}`;
return{readMessage,messageOf,progressOf,positionText};
})();
const m_jobs_job_follower=(()=>{
const{messageOf}=m_jobs_job_messages;
const TRANSPORTS=["webSocket","eventStream","polling"];
const USUAL_WAITS={
backoff:[1_000,2_000,4_000,8_000,16_000,30_000],
failuresBeforeFallback:2,
retryBestAfter:60_000,
pollInterval:2_000,
tokenMargin:60_000,
silence:62_500,
longestReconnection:300_000,
stumblesBeforePassing:2,
};
const AFTER_CLOSE={1000:"ask",1009:"unreadable",4401:"token",4419:"token",4404:"ask",4410:"ask"};
const BEHIND_ALL=Number.MAX_SAFE_INTEGER;
const TERMINAL=["succeeded","failed","canceled","expired"];
const isSame=(one,other)=>one?.epoch===other?.epoch&&one?.seq===other?.seq;
class JobFollower{
#b;
#a="idle";
#z=0;
#h=null;
#d=0;
#n=0;
#s=0;
#be=0;
#t=0;
#am;
#f;
#aa=null;
#cc=0;
#ab=0;
#an=false;
#ao=false;
#cd=0;
#o=null;
#bf=null;
#p=false;
#ap=false;
constructor({waits={},tokenExpiry=null}={}){
this.#b={...USUAL_WAITS,...waits};
this.#am=tokenExpiry;
this.#f=tokenExpiry===null?null:tokenExpiry - this.#b.tokenMargin;
}
get transport(){
return TRANSPORTS[this.#z];
}
get isLive(){
return this.#a==="open"||(this.transport==="polling"&&this.#n===0&&this.#a !=="refreshing");
}
get position(){
return this.#h;
}
get isOver(){
return this.#a==="over";
}
start(now){
return this.#a==="idle"?this.#u(now):[];
}
opened(attempt,now){
if(this.#a !=="connecting"||attempt !==this.#d)return [];
this.#a="open";
[this.#cc,this.#ab]=[now,now];
return [this.#aq(now)];
}
received(message,attempt,now,draw){
return this.#a==="open"&&attempt===this.#d?this.#ac(message,now,draw):[];
}
unreadable(attempt,now){
if(attempt !==this.#d)return;
this.heard(attempt,now);
[this.#s,this.#ao]=[0,true];
}
heard(attempt,now){
if(attempt !==this.#d)return;
this.#ab=now;
this.#an=true;
}
reconnectsAfter(ms,attempt){
if(attempt===this.#d)this.#cd=Math.min(Math.max(0,ms),this.#b.longestReconnection);
}
ended(trouble,attempt,now,draw){
if(!["connecting","open"].includes(this.#a)||attempt !==this.#d)return [];
if(this.#a==="open"&&now - this.#cc>=this.#b.backoff.at(-1))[this.#n,this.#t]=[0,0];
const{status,code}=trouble;
if(status===401||status===403||AFTER_CLOSE[code]==="token")return this.#ce();
if(status===410)return this.#k("expired");
if(status===404){
this.#cf(now);
return this.#v();
}
if(status===204||AFTER_CLOSE[code]==="ask")return this.#v();
if(trouble.isUnreadable||AFTER_CLOSE[code]==="unreadable"||this.#ao)return this.#dk(now,draw);
return this.#cg(now,draw);
}
polled(messages,state,attempt,now,draw){
if(this.#a !=="polling"||attempt !==this.#d)return [];
[this.#n,this.#t]=[0,0];
this.#bf=TERMINAL.includes(state)?state:null;
const orders=[];
for(const message of messages.filter(Boolean)){
orders.push(...this.#ac(message,now,draw));
if(this.#a !=="polling")return orders;
}
return [...orders,...this.#ch()];
}
unchanged(attempt){
if(this.#a !=="polling"||attempt !==this.#d)return [];
[this.#n,this.#t]=[0,0];
return this.#ch();
}
pollFailed({status,isUnreadable=false},attempt,now,draw){
if(this.#a !=="polling"||attempt !==this.#d)return [];
if(status===401||status===403)return this.#ce();
if(status===404)return this.#k("unknownJob");
if(status===410)return this.#k("expired");
if(isUnreadable)this.#ar();
return this.#ad(now,draw);
}
tokenRefreshed(expiresAt,now){
if(["idle","over"].includes(this.#a))return [];
[this.#p,this.#ap]=[false,false];
this.#dl(expiresAt,now);
if(this.#a==="refreshing")return this.#u(now);
return this.#a==="open"?[this.#aq(now)]:[];
}
tokenNotRefreshed({status},now,draw){
if(!this.#p||this.#a==="over")return [];
this.#p=false;
const ending={401:"unauthorized",403:"unauthorized",404:"unknownJob",410:"expired"}[status];
if(ending&&this.#a==="refreshing")return this.#k(ending);
this.#be +=1;
this.#f=ending||this.#am===null?null:now + this.#dm(this.#am - now);
if(this.#a==="refreshing")return this.#ap?this.#ad(now,draw):this.#u(now);
if(this.#a==="waiting"&&this.#f !==null)return [{order:"wake",after:this.#f - now}];
return this.#a==="open"?[this.#aq(now)]:[];
}
woke(now,draw){
if(this.#a==="waiting")return this.#u(now);
if(this.#a !=="open")return [];
if(this.#ab + this.#b.silence<=now)return [{order:"disconnect"},...this.#cg(now,draw)];
return [...(this.#ci(now)?this.#bg():[]),this.#aq(now)];
}
#ac(message,now,draw){
this.#ab=now;
this.#an=true;
this.#s=0;
const{position:at,body}=message;
const before=this.#h;
const isEnd=body.kind==="ended";
if(at){
const last=before?.epoch===at.epoch?before.seq:0;
if(at.seq<=last&&!isEnd)return [];
const isNext=at.seq===last + 1||(message.covers??at.seq)<=last + 1;
if(!isNext&&!isEnd&&!this.#ar())return [{order:"disconnect"},...this.#ad(now,draw)];
this.#h=at;
}else if(body.kind==="snapshot"&&body.lastSeq !==null&&!body.isRecovered){
this.#h={epoch:message.epoch??before?.epoch??0,seq:body.lastSeq};
}
if(!isSame(this.#h,before))[this.#n,this.#t,this.#ao]=[0,0,false];
return isEnd?this.#ae(message):[{order:"deliver",message}];
}
#ae(message){
return [{order:"deliver",message},...this.#k("ended")];
}
#u(now){
if(this.#aa !==null&&now - this.#aa>=this.#b.retryBestAfter){
[this.#z,this.#s,this.#aa]=[0,0,null];
}
if(this.#ap||this.#ci(now)){
this.#a="refreshing";
return this.#bg();
}
if(this.transport==="polling")return this.#v();
this.#d +=1;
[this.#a,this.#an,this.#ao]=["connecting",false,false];
return [{order:"connect",transport:this.transport,after:this.#h,attempt:this.#d}];
}
#v(){
this.#d +=1;
this.#a="polling";
const isStuck=this.#cj()>=this.#b.stumblesBeforePassing;
const after=isStuck?{epoch:this.#h?.epoch??0,seq:BEHIND_ALL}:this.#h;
return [{order:"disconnect"},{order:"poll",after,attempt:this.#d}];
}
#ch(){
if(this.#bf !==null&&this.#ar()&&this.#o.times>this.#b.stumblesBeforePassing){
return this.#ae(messageOf({type:"job_complete",payload:{status:this.#bf}}));
}
this.#a="waiting";
return [{order:"wake",after:this.#b.pollInterval}];
}
#cj(){
return this.#o !==null&&isSame(this.#o.place,this.#h)?this.#o.times:0;
}
#ar(){
this.#o={place:this.#h,times:this.#cj()+ 1};
return this.#o.times>=this.#b.stumblesBeforePassing;
}
#dk(now,draw){
if(!this.#ar())return this.#ad(now,draw);
if(this.#o.times>this.#b.stumblesBeforePassing){
this.#z=TRANSPORTS.length - 1;
this.#aa??=now;
}
return this.#v();
}
#cg(now,draw){
if(!this.#an){
this.#s +=1;
if(this.#s>=this.#b.failuresBeforeFallback)this.#cf(now);
}
return this.#ad(now,draw);
}
#ci(now){
return this.#f !==null&&this.#f<=now;
}
#bg(){
if(this.#p)return [];
this.#p=true;
return [{order:"refreshToken"}];
}
#dm(left){
const{backoff}=this.#b;
const longest=backoff[Math.min(this.#be,backoff.length)- 1];
return left>0?Math.min(longest,Math.max(backoff[0],left / 2)):longest;
}
#dl(expiry,now){
[this.#be,this.#am]=[0,expiry];
this.#f=expiry !==null&&expiry>now?Math.max(expiry - this.#b.tokenMargin,now +(expiry - now)/ 2):null;
}
#aq(now){
const silent=this.#ab + this.#b.silence - now;
const old=this.#p||this.#f===null?Infinity:this.#f - now;
return{order:"wake",after:Math.max(0,Math.min(silent,old))};
}
#ce(){
if(this.#t>=this.#b.backoff.length)return this.#k("unauthorized");
this.#ap=true;
this.#t +=1;
this.#a="refreshing";
return [{order:"disconnect"},...this.#bg()];
}
#cf(now){
this.#s=0;
this.#aa??=now;
this.#z=Math.min(this.#z + 1,TRANSPORTS.length - 1);
}
#ad(now,draw){
const{backoff}=this.#b;
const longest=backoff[Math.min(this.#n,backoff.length - 1)];
this.#n +=1;
this.#a="waiting";
const least=this.transport==="eventStream"?this.#cd:0;
const wait=least + draw % Math.max(1,longest);
const renewal=this.#p||this.#f===null?Infinity:Math.max(0,this.#f - now);
return [{order:"wake",after:Math.min(wait,renewal)}];
}
#k(ending){
this.#a="over";
return [{order:"disconnect"},{order:"finish",ending}];
}
}
return{TRANSPORTS,USUAL_WAITS,JobFollower};
})();
const m_jobs_job_run=(()=>{
const{steadyClock}=m_engine_clock;
const{readEventStream}=m_engine_event_stream;
const{bearer}=m_jobs_job_api;
const{JobFollower}=m_jobs_job_follower;
const{messageOf,positionText,progressOf,readMessage}=m_jobs_job_messages;
const TOKEN_PROTOCOL="freshet-auth.";
const TERMINAL=["succeeded","failed","canceled","expired"];
const begin=Date.now()- steadyClock.now();
const now=()=>begin + steadyClock.now();
const draw=()=>crypto.getRandomValues(new Uint32Array(1))[0];
class JobRun{
#i;
#l=null;
#af=null;
#ck=null;
#cl=false;
#bh=false;
constructor(job,{api,onChange,onKeep,onEnd}){
this.job=job;
this.api=api;
this.onChange=onChange;
this.onKeep=onKeep;
this.onEnd=onEnd;
this.state="queued";
this.progress=progressOf({});
this.completion=null;
this.ending=null;
this.heardAt=null;
this.#i=new JobFollower({tokenExpiry:job.tokenExpiry??null});
}
get transport(){
return this.#i.transport;
}
get isLive(){
return this.#i.isLive;
}
get isOver(){
return this.ending !==null;
}
start(){
this.#e(this.#i.start(now()));
}
stop(){
this.#cl=true;
clearTimeout(this.#l);
this.#bi();
}
async cancel(){
const answer=await this.api.cancel(this.job);
if(!this.isOver&&typeof answer?.state==="string")this.#ag(answer.state);
this.onChange(this);
}
async renew(){
const answer=await this.api.refresh(this.job);
this.#cm(answer);
this.#e(this.#i.tokenRefreshed(this.job.tokenExpiry,now()));
}
markGone(){
this.ending="expired";
this.onChange(this);
}
#e(orders){
if(this.#cl)return;
const wasLive=this.#bh;
for(const{order,...with_}of orders)this.#dn(order,with_);
this.#bh=this.isLive;
if(this.#bh !==wasLive&&!this.isOver)this.onChange(this);
}
#dn(order,{transport,after,attempt,message,ending}){
if(order==="connect")this.#u(transport,after,attempt);
if(order==="disconnect")this.#bi();
if(order==="poll")this.#v(after,attempt);
if(order==="refreshToken")this.#do();
if(order==="wake")this.#dp(after);
if(order==="deliver")this.#dq(message);
if(order==="finish")this.#k(ending);
}
#dp(wait){
clearTimeout(this.#l);
const follower=this.#i;
this.#l=setTimeout(()=>this.#e(follower.woke(now(),draw())),wait);
}
#u(transport,after,attempt){
this.#bi();
if(transport==="webSocket")this.#dr(after,attempt);
else this.#ds(after,attempt);
this.onChange(this);
}
#bi(){
const leave=this.#af;
this.#af=null;
leave?.();
}
#dr(after,attempt){
const follower=this.#i;
const query=new URLSearchParams({jobId:this.job.id,...(after?{after:positionText(after)}:{})});
const scheme=location.protocol==="https:"?"wss:":"ws:";
let socket;
try{
socket=new WebSocket(`${scheme}//${location.host}/ws/progress?${query}`,[TOKEN_PROTOCOL + this.job.token]);
}catch{
queueMicrotask(()=>this.#e(follower.ended({},attempt,now(),draw())));
return;
}
socket.onopen=()=>this.#e(follower.opened(attempt,now()));
socket.onmessage=({data})=>{
this.#bj();
const message=typeof data==="string"?readMessage(data):null;
if(message)this.#e(follower.received(message,attempt,now(),draw()));
else follower.unreadable(attempt,now());
};
socket.onclose=({code})=>this.#e(follower.ended(code===1006?{}:{code},attempt,now(),draw()));
this.#af=()=>{
socket.onopen=socket.onmessage=socket.onclose=null;
socket.close();
};
}
async #ds(after,attempt){
const follower=this.#i;
const abort=new AbortController();
this.#af=()=>abort.abort();
const tell=(act)=>abort.signal.aborted||act();
let trouble={};
try{
await readEventStream(`/v1/jobs/${encodeURIComponent(this.job.id)}/events`,{
lastId:after?positionText(after):null,
fields:bearer(this.job.token),
signal:abort.signal,
onOpen:()=>tell(()=>this.#e(follower.opened(attempt,now()))),
onLife:()=>tell(()=>{
this.#bj();
follower.heard(attempt,now());
}),
onRetry:(ms)=>tell(()=>follower.reconnectsAfter(ms,attempt)),
onEvent:({data})=>tell(()=>{
const message=readMessage(data);
if(message)this.#e(follower.received(message,attempt,now(),draw()));
else follower.unreadable(attempt,now());
}),
});
}catch(failure){
trouble={status:failure.status,isUnreadable:failure instanceof RangeError};
}
tell(()=>this.#e(follower.ended(trouble,attempt,now(),draw())));
}
async #v(after,attempt){
const follower=this.#i;
const abort=new AbortController();
this.#af=()=>abort.abort();
let orders;
try{
const answer=await this.api.state(this.job,after&&positionText(after),this.#ck,abort.signal);
if(abort.signal.aborted)return;
this.#bj();
if(answer===null){
orders=follower.unchanged(attempt);
}else{
this.#ck=answer.tag;
orders=this.#dt(answer.document,follower,attempt);
}
}catch(failure){
if(abort.signal.aborted)return;
orders=follower.pollFailed({status:failure.status,isUnreadable:failure instanceof SyntaxError},attempt,now(),draw());
}
this.#e(orders);
this.onChange(this);
}
#dt(document,follower,attempt){
if(typeof document?.state !=="string")throw new SyntaxError("the answer is no state");
const events=Array.isArray(document.events)?document.events.map(messageOf):[];
if(!TERMINAL.includes(document.state))this.#ag(document.state);
return follower.polled(events,document.state,attempt,now(),draw());
}
async #do(){
const follower=this.#i;
try{
const answer=await this.api.refresh(this.job);
this.#cm(answer);
}catch(failure){
return this.#e(follower.tokenNotRefreshed({status:failure.status},now(),draw()));
}
this.#e(follower.tokenRefreshed(this.job.tokenExpiry,now()));
}
#cm(answer){
if(typeof answer?.token !=="string")throw new TypeError("the answer has no token");
this.job.token=answer.token;
this.job.tokenExpiry=expiryOf(answer);
this.onKeep(this);
}
#bj(){
this.heardAt=performance.now();
}
#ag(state){
if(this.state==="canceling"&&state==="running")return;
this.state=state;
}
#dq({body}){
if(body.kind==="started")this.#ag("running");
if(body.kind==="progress")this.#ag("running");
if(body.kind==="snapshot"&&body.state&&!TERMINAL.includes(body.state))this.#ag(body.state);
if(body.kind==="progress"||body.kind==="snapshot")this.#du(body);
if(body.kind==="ended"){
this.completion=body;
this.state=TERMINAL.includes(body.ending)?body.ending:"succeeded";
if(body.ending==="succeeded")this.progress={...this.progress,fraction:1};
}
this.onChange(this);
}
#du(body){
const told=Object.entries(progressOf({})).map(([name])=>[name,body[name]]).filter(([,value])=>value !==null);
this.progress={...this.progress,current:null,...Object.fromEntries(told)};
}
#k(ending){
clearTimeout(this.#l);
this.ending=ending;
this.onEnd(this);
this.onChange(this);
}
}
function expiryOf({expiresIn}){
return Number.isFinite(expiresIn)?now()+ expiresIn * 1000:null;
}
return{JobRun,expiryOf};
})();
const m_jobs_book_list=(()=>{
function isISBN(text){
const digits=text.replace(/[\s-]/g,"");
return /^(?:\d{9}[\dXx]|97[89]\d{10})$/.test(digits);
}
function booksOf(text){
return text.split(/\r\n|\n|\r/).map(bookOf).filter(Boolean);
}
function bookOf(line){
const parts=line.split(/[;\t]/).map((part)=>part.trim());
const isbn=parts.find(isISBN);
const [title,author]=parts.filter((part)=>part !==isbn);
const book=Object.fromEntries(Object.entries({title,author,isbn}).filter(([,value])=>value));
return book.title||book.isbn?book:null;
}
return{booksOf};
})();
const m_jobs_job_start=(()=>{
const{booksOf}=m_jobs_book_list;
const{element,newElement}=m_shared_dom;
const{JobRefusal}=m_jobs_job_api;
const{failureInWords}=m_jobs_job_problems;
const LONGEST_WAIT_S=120;
const MOST_WAITS=5;
const IMAGE_ENDING=/\.(jpe?g|png|webp|heic|heif|gif|tiff?|bmp)$/i;
function isImage(file){
return file.type?file.type.startsWith("image/"):IMAGE_ENDING.test(file.name);
}
function megabytes(bytes,locale){
const size=bytes /(1<<20);
const digits=size>=10?0:1;
return new Intl.NumberFormat(locale,{style:"unit",unit:"megabyte",maximumFractionDigits:digits}).format(size).replace(/\s/,"\u00a0");
}
class JobStart{
#cn=element("drop");
#as=element("start-again");
#g=null;
#ah=null;
#at=false;
#co=null;
constructor(page){
this.page=page;
element("table-file").addEventListener("change",(event)=>this.#cp(event.target));
element("photo-files").addEventListener("change",(event)=>this.#cp(event.target));
element("book-form").addEventListener("submit",(event)=>{
event.preventDefault();
this.#dv();
});
this.#as.addEventListener("click",()=>this.#bk());
this.#dw();
this.#dx();
}
speak(){
const limits=this.#g?.limits??{};
const{say}=this.page;
const table=limits.csv_import;
const scan=limits.ai_scan;
const sentences=[
this.#w("csv_import")&&table&&say("tableLimits",{size:megabytes(table.maxBytes,this.page.locale),rows:table.maxRows.toLocaleString(this.page.locale)}),
this.#w("ai_scan")&&scan&&say("photoLimits",{count:scan.maxPhotos,size:megabytes(scan.maxPhotoBytes,this.page.locale)}),
];
element("start-limits").textContent=sentences.filter(Boolean).join(" ");
}
choose(){
element("table-file").click();
}
async #dx(){
this.#g=await this.page.api.capabilities().catch(()=>null);
element("table-file").closest("label").hidden=!this.#w("csv_import");
element("photo-files").closest("label").hidden=!this.#w("ai_scan");
element("book-entry").hidden=!this.#w("batch_enrichment");
this.speak();
}
#w(pipeline){
const known=this.#g?.pipelines;
return known==null||typeof known !=="object"||pipeline in known;
}
#dw(){
const hasFiles=(event)=>[...(event.dataTransfer?.types??[])].includes("Files");
for(const name of ["dragenter","dragover","drop"]){
addEventListener(name,(event)=>{
if(!hasFiles(event))return;
event.preventDefault();
this.#cn.classList.toggle("over",name !=="drop");
if(name==="drop")this.#ac([...event.dataTransfer.files]);
});
}
addEventListener("dragleave",(event)=>event.relatedTarget===null&&this.#cn.classList.remove("over"));
}
#cp(input){
const files=[...input.files];
input.value="";
if(files.length>0)this.#ac(files);
}
#ac(files){
const problem=this.#dy(files);
if(problem)return this.#m(problem);
const pipeline=files.every(isImage)?"ai_scan":"csv_import";
const form=new FormData();
for(const file of files)form.append(pipeline==="ai_scan"?"photos":"file",file,file.name);
this.#cq(pipeline,form,files.map(({name})=>name).join(", "));
}
#dy(files){
const{say}=this.page;
const limits=this.#g?.limits??{};
const arePhotos=files.every(isImage);
if(!arePhotos&&files.length>1)return say(files.some(isImage)?"mixedFiles":"oneTable");
if(!this.#w(arePhotos?"ai_scan":"csv_import"))return say("pipelineOff");
const most=arePhotos?limits.ai_scan?.maxPhotos:1;
if(files.length>(most??Infinity))return say("tooManyPhotos",{count:most});
const bytes=(arePhotos?limits.ai_scan?.maxPhotoBytes:limits.csv_import?.maxBytes)??Infinity;
const large=files.find(({size})=>size>bytes);
if(large)return say("tooLarge",{name:large.name,size:megabytes(bytes,this.page.locale)});
const empty=files.find(({size})=>size===0);
return empty?say("emptyFile",{name:empty.name}):null;
}
#dv(){
const{say}=this.page;
const books=booksOf(element("book-lines").value);
const most=this.#g?.limits?.batch_enrichment?.maxBooks??Infinity;
if(books.length===0)return this.#m(say("noBooks"));
if(books.length>most)return this.#m(say("tooManyBooks",{count:books.length,most}));
this.#cq("batch_enrichment",JSON.stringify({books}),say("booksNamed",{count:books.length}));
}
#cq(pipeline,body,name){
if(this.#at)return this.#m(this.page.say("oneAtATime"));
const key=[...crypto.getRandomValues(new Uint8Array(16))].map((byte)=>byte.toString(16).padStart(2,"0")).join("");
this.#ah={pipeline,body,name,key,waits:0};
this.#bk();
}
async #bk(){
const{page}=this;
const pending=this.#ah;
if(!pending||this.#at)return;
clearTimeout(this.#co);
this.#at=true;
this.#as.hidden=true;
this.#m(page.say("sending",{name:pending.name}),"");
page.learn();
try{
const answer=await page.api.start(pending.pipeline,pending.body,pending.key);
if(typeof answer?.jobId !=="string"||typeof answer.token !=="string")throw new TypeError("the answer names no job");
this.#ah=null;
this.#m("");
page.started(answer,pending.name,pending.pipeline);
}catch(failure){
this.#dz(failure);
}finally{
this.#at=false;
}
}
#dz(failure){
const{say}=this.page;
if(this.#b(failure))return;
const isRefused=failure instanceof JobRefusal&&failure.status<500&&failure.status !==429&&failure.status !==408;
if(isRefused)this.#ah=null;
this.#as.hidden=isRefused;
const reason=failure instanceof JobRefusal?failureInWords({code:failure.code,message:failure.detail},say)||say("failedServer",{status:failure.status}):say(failure?.name==="TimeoutError"?"failedTimeout":"failedUnreachable");
this.#m(`${say("notStarted")} ${reason}`);
}
#b(failure){
const pending=this.#ah;
const seconds=failure instanceof JobRefusal&&(failure.status===429||failure.status===503)?failure.retryAfter:null;
if(seconds===null||seconds>LONGEST_WAIT_S||pending.waits>=MOST_WAITS)return false;
pending.waits +=1;
this.#co=setTimeout(()=>this.#bk(),Math.max(1,seconds)* 1000);
this.#as.hidden=false;
this.#m(this.page.say("startLater",{name:pending.name,seconds:Math.max(1,seconds)}),"");
return true;
}
#m(sentence,kind="grave"){
element("start-message").dataset.kind=kind;
element("start-message").replaceChildren(...(sentence?[newElement("p","",sentence)]:[]));
}
}
return{isImage,megabytes,JobStart};
})();
const m_shared_memory=(()=>{
const PREFIX="board.";
const memory={
read(name){
try{
return JSON.parse(localStorage.getItem(PREFIX + name));
}catch{
return null;
}
},
write(name,value){
try{
if(value==null)localStorage.removeItem(PREFIX + name);
else localStorage.setItem(PREFIX + name,JSON.stringify(value));
}catch{
}
},
};
return{memory};
})();
const m_shared_keys=(()=>{
const{element}=m_shared_dom;
const{memory}=m_shared_memory;
function keysAreOn(){
return memory.read("keys")!==false;
}
function listenToKeys(page,actOf=actOfBoard){
const choice=element("keys");
choice.checked=keysAreOn();
choice.addEventListener("change",()=>memory.write("keys",choice.checked?null:false));
document.addEventListener("keydown",(event)=>{
if(event.defaultPrevented||event.ctrlKey||event.metaKey||event.altKey||isTyping(event.target))return;
if(document.querySelector("dialog[open]"))return;
const act=actOf(page,event);
if(!act)return;
event.preventDefault();
act();
});
}
function isTyping(target){
return target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]")!=null;
}
function actOfBoard(page,event){
if(event.key==="ArrowDown")return()=>page.current?.move(1);
if(event.key==="ArrowUp")return()=>page.current?.move(-1);
if(event.key==="Escape")return()=>page.escape();
if(!keysAreOn())return null;
return{
"/":()=>page.focusSearch(),
"?":()=>page.help(),
r:()=>page.current?.refresh(),
R:()=>page.current?.refresh({isForced:true}),
f:()=>page.current?.settings.stop&&page.openFilters(page.current),
d:()=>page.toggleDiagnostics(),
}[event.key];
}
return{keysAreOn,listenToKeys};
})();
const m_shared_press_guard=(()=>{
const LONGEST_PRESS_MS=10_000;
const CLICK_DELAY_MS=100;
const POINTER_REST_MS=10_000;
class PressGuard{
#bl=false;
#l=null;
#bm=new Map();
constructor(){
addEventListener("pointerdown",()=>this.#ea(),true);
addEventListener("pointerup",()=>this.#bn(CLICK_DELAY_MS),true);
addEventListener("click",()=>this.#bn(0),true);
for(const name of ["pointercancel","dragend","blur"])addEventListener(name,()=>this.#ae(),true);
}
run(owner,change){
if(this.#bl)this.#bm.set(owner,change);
else change();
}
#ea(){
this.#bl=true;
this.#bn(LONGEST_PRESS_MS);
}
#bn(delay){
clearTimeout(this.#l);
this.#l=setTimeout(()=>this.#ae(),delay);
}
#ae(){
clearTimeout(this.#l);
this.#bl=false;
const changes=[...this.#bm.values()];
this.#bm.clear();
for(const change of changes)change();
}
}
const pressGuard=new PressGuard();
class HoverAnchor{
#x;
#cr=-Infinity;
#au=null;
constructor(list,{now,onLeave}){
this.#x=list;
this.now=now;
const isMouse=({pointerType})=>pointerType==="mouse";
list.addEventListener("pointermove",(event)=>{
if(!isMouse(event))return;
this.#cr=this.now();
this.#au=[event.clientX,event.clientY];
},{passive:true});
list.addEventListener("pointerleave",(event)=>{
if(!isMouse(event))return;
this.#au=null;
this.#cs(0,0);
onLeave();
});
}
get isActive(){
return this.#au !==null&&this.now()- this.#cr<POINTER_REST_MS;
}
keep(change){
const anchor=this.isActive?this.#eb():null;
const before=anchor?.getBoundingClientRect().top??0;
change();
if(!anchor?.isConnected)return;
const moved=()=>anchor.getBoundingClientRect().top - before;
if(moved()===0)return;
scrollBy(0,moved());
const rest=moved();
if(Math.abs(rest)<1)return;
this.#cs(rest<0?-rest:0,rest>0?rest:0);
if(rest>0)scrollBy(0,rest);
}
#eb(){
const [x,y]=this.#au;
const node=document.elementFromPoint(x,y);
if(!node||!this.#x.contains(node))return null;
return node.closest("button, summary, a")??[...this.#x.children].find((entry)=>entry.contains(node))??null;
}
#cs(above,below){
const set=(side,more)=>{
const name=`padding-${side}`;
const had=Number.parseFloat(this.#x.style.getPropertyValue(name))||0;
if(above===0&&below===0)this.#x.style.removeProperty(name);
else if(more>0)this.#x.style.setProperty(name,`${had + more}px`);
};
set("top",above);
set("bottom",below);
}
}
return{POINTER_REST_MS,pressGuard,HoverAnchor};
})();
const m_shared_visit_memory=(()=>{
const PREFIX="visit.";
const visitMemory={
read(name){
try{
return JSON.parse(sessionStorage.getItem(PREFIX + name));
}catch{
return null;
}
},
write(name,value){
try{
if(value==null)sessionStorage.removeItem(PREFIX + name);
else sessionStorage.setItem(PREFIX + name,JSON.stringify(value));
return true;
}catch{
return false;
}
},
};
return{visitMemory};
})();
const m_shared_announcer=(()=>{
const{element,setText}=m_shared_dom;
const LEAST_GAP_MS=20_000;
class Announcer{
#ct=-LEAST_GAP_MS;
#ec=element("announcement");
say(sentence,{now,urgent=false}){
if(!sentence||(!urgent&&now - this.#ct<LEAST_GAP_MS))return false;
this.#ct=now;
setText(this.#ec,sentence);
return true;
}
}
return{Announcer};
})();
const m_engine_device=(()=>{
const{steadyClock}=m_engine_clock;
class Device{
#bo=new Set();
#av=null;
#aw=null;
#cu=new AbortController();
constructor(){
this.#ax();
if(typeof document==="undefined")return;
const{signal}=this.#cu;
const hears=(target,name,heard)=>target?.addEventListener?.(name,heard,{signal});
hears(document,"visibilitychange",()=>this.#ax());
hears(document,"freeze",()=>this.#bp("suspended"));
hears(document,"resume",()=>this.#ax());
hears(globalThis,"pagehide",()=>this.#bp("suspended"));
hears(globalThis,"pageshow",()=>this.#ax());
hears(globalThis,"focus",()=>this.#ay({event:"focused"}));
for(const name of ["online","offline"])hears(globalThis,name,()=>this.#bq());
hears(globalThis.navigator?.connection,"change",()=>this.#bq());
}
close(){
this.#cu.abort();
}
now(){
return steadyClock.now();
}
get lifecycle(){
return this.#av;
}
get connectivity(){
return this.#aw;
}
listen(listener){
listener({event:"lifecycle",with:{to:this.#av}});
listener({event:"connectivity",with:{to:this.#aw}});
this.#bo.add(listener);
return()=>this.#bo.delete(listener);
}
tick(){
if(steadyClock.notice())this.#ay({event:"slept"});
}
#ax(){
this.#bp(globalThis.document?.hidden?"background":"foreground");
this.#bq();
}
#bp(to){
if(this.#av===to)return;
this.#av=to;
this.#ay({event:"lifecycle",with:{to}});
}
#bq(){
const{onLine,connection}=globalThis.navigator??{};
const to=onLine===false?"offline":connection?.saveData?"metered":"online";
if(this.#aw===to)return;
this.#aw=to;
this.#ay({event:"connectivity",with:{to}});
}
#ay(event){
for(const listener of this.#bo)listener(event);
}
}
return{Device};
})();
const m_shared_fault=(()=>{
const{element,setText}=m_shared_dom;
function showFault(say,name,failure){
element("fault").hidden=false;
setText(element("fault-text"),say(name,{reason:failure.message}));
setText(element("fault-reload"),say("reload"));
element("fault-reload").onclick=()=>location.reload();
}
return{showFault};
})();
const m_shared_work_page=(()=>{
const{Announcer}=m_shared_announcer;
const{everySecond,ServerClock}=m_engine_clock;
const{Device}=m_engine_device;
const{element,fillTexts,makeDialog}=m_shared_dom;
const{showFault}=m_shared_fault;
const{listenToKeys}=m_shared_keys;
const{memory}=m_shared_memory;
const{languageOf,loadMessages,LOCALES,sentences}=m_messages_messages;
const FAULT={pageFault:"{reason}",reload:"Reload"};
const THEMES=["auto","light","dark"];
class WorkPage{
#cv;
#cw=null;
constructor({modules,language,messages}){
this.#cv=modules;
this.language=language;
this.messages=messages;
this.device=new Device();
this.clock=new ServerClock();
this.announcer=new Announcer();
const theme=new URLSearchParams(location.search).get("theme");
this.theme=THEMES.includes(theme)?theme:memory.read("theme")??"auto";
this.say=sentences(language,messages);
for(const id of ["settings","help"])makeDialog(element(id));
element("language").addEventListener("change",(event)=>this.#ed(event.target.value));
element("theme").addEventListener("change",(event)=>this.#cx("theme","theme",event.target.value));
element("settings-open").addEventListener("click",()=>element("settings").showModal());
element("help-open").addEventListener("click",()=>this.help());
document.addEventListener("visibilitychange",()=>document.hidden||this.tick());
listenToKeys(this,(page,event)=>page.actOf(event));
}
run(){
everySecond(()=>this.clock,()=>{
this.device.tick();
if(!document.hidden)this.tick();
});
}
get locale(){
return LOCALES[this.language];
}
help(){
element("settings").close();
element("help").showModal();
}
async #ed(language){
this.#cw=language;
const messages=await loadMessages(this.#cv,language).catch(()=>null);
if(this.#cw !==language)return;
if(!messages)return void(element("language").value=this.language);
this.messages=messages;
this.#cx("language","lang",language);
}
#cx(name,parameter,value){
this[name]=value;
memory.write(name,value);
const address=new URL(location.href);
if(address.searchParams.has(parameter)){
address.searchParams.set(parameter,value);
history.replaceState(null,"",address);
}
this.speak();
}
speak(){
this.say=sentences(this.language,this.messages);
const root=document.documentElement;
root.lang=this.language;
root.dataset.theme=this.theme;
element("language").value=this.language;
element("theme").value=this.theme;
fillTexts(this.say);
}
tick(){}
actOf(){
return null;
}
}
async function begin(modules,make){
const language=languageOf(new URLSearchParams(location.search).get("lang"),memory.read("language"),...(navigator.languages??[]));
const loading=loadMessages(modules,language);
try{
const page=await make(loading.then((messages)=>({modules,language,messages})));
page.run();
document.documentElement.dataset.ready="yes";
return page;
}catch(failure){
showFault(sentences(language,await loading.catch(()=>FAULT)),"pageFault",failure);
throw failure;
}
}
return{WorkPage,begin};
})();
const m_jobs_page=(()=>{
const{element}=m_shared_dom;
const{JobApi}=m_jobs_job_api;
const{JobCard}=m_jobs_job_card;
const{learnProblems}=m_jobs_job_problems;
const{expiryOf,JobRun}=m_jobs_job_run;
const{JobStart}=m_jobs_job_start;
const{keysAreOn}=m_shared_keys;
const{pressGuard}=m_shared_press_guard;
const{visitMemory}=m_shared_visit_memory;
const{begin,WorkPage}=m_shared_work_page;
const MESSAGES={
fr:()=>later("/assets/messages-fr-jobs.0ca35bcdd4b8.js",loaded),
de:()=>later("/assets/messages-de-jobs.802b4fe64297.js",loaded),
it:()=>later("/assets/messages-it-jobs.879f7c3ab0d8.js",loaded),
en:()=>later("/assets/messages-en-jobs.e535c86738f3.js",loaded),
};
const KEPT="jobs";
const MOST_JOBS=20;
class JobsPage extends WorkPage{
#c=[];
#br=false;
constructor(words){
super(words);
this.api=new JobApi((time,took)=>{
const now=this.device.now();
this.clock.learn(time,{askedAt:now - took,answeredAt:now});
});
this.startForm=new JobStart(this);
for(const name of ["keydown","pointerdown","drop"])addEventListener(name,()=>(this.#br=name==="keydown"),true);
for(const job of keptJobs().reverse())this.#cy(job);
this.speak();
}
started(answer,name,pipeline){
const job={id:answer.jobId,token:answer.token,tokenExpiry:expiryOf(answer),pipeline,name,isEndKnown:false};
const known=this.#c.find(({run})=>run.job.id===job.id);
if(known)return known.focus(this.#br);
const card=this.#cy(job);
while(this.#c.length>MOST_JOBS)this.forget(this.#c.at(-1));
this.#az();
this.#bs();
card.focus(this.#br);
}
#cy(job){
const run=new JobRun(job,{
api:this.api,
onChange:()=>pressGuard.run(card,()=>card.show()),
onKeep:()=>this.#az(),
onEnd:()=>this.#ee(card),
});
const card=new JobCard(run,this);
this.#c.unshift(card);
element("jobs").prepend(card.root);
card.speak();
run.start();
return card;
}
#ee(card){
const{job}=card.run;
if(job.isEndKnown)return;
job.isEndKnown=true;
this.#az();
this.announcer.say(`${card.name}: ${card.stateInWords()}`,{now:this.device.now(),urgent:true});
}
forget(card){
card.run.stop();
card.root.remove();
this.#c=this.#c.filter((other)=>other !==card);
this.#az();
this.#bs();
}
#az(){
visitMemory.write(KEPT,this.#c.map(({run})=>run.job));
}
speak(){
super.speak();
document.title=this.say("jobsPage");
this.startForm.speak();
for(const card of this.#c)card.speak();
this.#bs();
if(this.#c.length>0)this.learn();
}
async learn(){
const{language}=this;
await learnProblems(language);
if(language !==this.language)return this.learn();
for(const card of this.#c)card.speak();
}
#bs(){
element("no-jobs").hidden=this.#c.length>0;
}
tick(){
for(const card of this.#c)card.tick();
}
#cz(step){
const at=this.#c.findIndex(({root})=>root.contains(document.activeElement));
const to=at<0?(step>0?0:this.#c.length - 1):Math.min(Math.max(at + step,0),this.#c.length - 1);
this.#c[to]?.root.focus();
}
actOf(event){
if(event.key==="ArrowDown")return()=>this.#cz(1);
if(event.key==="ArrowUp")return()=>this.#cz(-1);
if(!keysAreOn())return null;
return{o:()=>this.startForm.choose(),"?":()=>this.help()}[event.key]??null;
}
}
function keptJobs(){
const kept=visitMemory.read(KEPT);
if(!Array.isArray(kept))return [];
return kept.filter((job)=>typeof job?.id==="string"&&typeof job.token==="string"&&typeof job.pipeline==="string").slice(0,MOST_JOBS);
}
begin(MESSAGES,async(words)=>new JobsPage(await words));
return{};
})();
