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
const m_shared_press_guard=(()=>{
const LONGEST_PRESS_MS=10_000;
const CLICK_DELAY_MS=100;
const POINTER_REST_MS=10_000;
class PressGuard{
#bc=false;
#t=null;
#bd=new Map();
constructor(){
addEventListener("pointerdown",()=>this.#do(),true);
addEventListener("pointerup",()=>this.#be(CLICK_DELAY_MS),true);
addEventListener("click",()=>this.#be(0),true);
for(const name of ["pointercancel","dragend","blur"])addEventListener(name,()=>this.#cb(),true);
}
run(owner,change){
if(this.#bc)this.#bd.set(owner,change);
else change();
}
#do(){
this.#bc=true;
this.#be(LONGEST_PRESS_MS);
}
#be(delay){
clearTimeout(this.#t);
this.#t=setTimeout(()=>this.#cb(),delay);
}
#cb(){
clearTimeout(this.#t);
this.#bc=false;
const changes=[...this.#bd.values()];
this.#bd.clear();
for(const change of changes)change();
}
}
const pressGuard=new PressGuard();
class HoverAnchor{
#m;
#cc=-Infinity;
#u=null;
constructor(list,{now,onLeave}){
this.#m=list;
this.now=now;
const isMouse=({pointerType})=>pointerType==="mouse";
list.addEventListener("pointermove",(event)=>{
if(!isMouse(event))return;
this.#cc=this.now();
this.#u=[event.clientX,event.clientY];
},{passive:true});
list.addEventListener("pointerleave",(event)=>{
if(!isMouse(event))return;
this.#u=null;
this.#cd(0,0);
onLeave();
});
}
get isActive(){
return this.#u !==null&&this.now()- this.#cc<POINTER_REST_MS;
}
keep(change){
const anchor=this.isActive?this.#dp():null;
const before=anchor?.getBoundingClientRect().top??0;
change();
if(!anchor?.isConnected)return;
const moved=()=>anchor.getBoundingClientRect().top - before;
if(moved()===0)return;
scrollBy(0,moved());
const rest=moved();
if(Math.abs(rest)<1)return;
this.#cd(rest<0?-rest:0,rest>0?rest:0);
if(rest>0)scrollBy(0,rest);
}
#dp(){
const [x,y]=this.#u;
const node=document.elementFromPoint(x,y);
if(!node||!this.#m.contains(node))return null;
return node.closest("button, summary, a")??[...this.#m.children].find((entry)=>entry.contains(node))??null;
}
#cd(above,below){
const set=(side,more)=>{
const name=`padding-${side}`;
const had=Number.parseFloat(this.#m.style.getPropertyValue(name))||0;
if(above===0&&below===0)this.#m.style.removeProperty(name);
else if(more>0)this.#m.style.setProperty(name,`${had + more}px`);
};
set("top",above);
set("bottom",below);
}
}
return{POINTER_REST_MS,pressGuard,HoverAnchor};
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
const m_worktrees_workspace_api=(()=>{
const{queryOf}=m_shared_query;
const{signalWithin}=m_shared_signals;
const PATIENCE_MS=120_000;
class Refusal extends Error{
constructor(status,document){
super(document?.detail??document?.message??`${status}`);
this.status=status;
this.code=document?.error??null;
this.detail=document?.detail??document?.message??null;
this.processes=(document?.processes??[]).filter((process)=>Number.isInteger(process?.pid));
this.files=[...(document?.conflict_files??[]),...(document?.files??[])].filter((file)=>typeof file==="string");
}
}
class WorkspaceApi{
#bf=null;
constructor(fields){
this.fields=fields;
}
diff(id){
return this.#c("GET",`${path(id)}/diff`);
}
branches(repository){
return this.#c("GET",`/v1/git/branches/${encodeURIComponent(repository)}`);
}
check(id,operation){
return this.#c("GET",`${path(id)}/${operation}/check`);
}
merge(id,{squash,cleansUp,processes=[]}){
return this.#c("POST",`${path(id)}/merge`,{squash,auto_cleanup:cleansUp,...named(processes)});
}
sync(id,{strategy,fetches,rewritesPushed,processes=[]}){
return this.#c("POST",`${path(id)}/sync`,{
strategy,fetch:fetches,...(rewritesPushed?{rewrite_pushed:true}:{}),...named(processes),
});
}
remove(id,{isForced,removesBranch,processes=[]}){
const query=queryOf({
...(isForced?{force:1}:{}),...(removesBranch?{delete_branch:1}:{}),
...(processes.length>0?{processes:processes.join(",")}:{}),
});
return this.#c("DELETE",`${path(id)}?${query}`);
}
omissions(){
return this.#c("GET","/v1/git/omissions");
}
async overrides(code,operation){
this.#bf??=this.#c("GET","/v1/git/refusals").catch(()=>(this.#bf=null));
const table=await this.#bf;
return(Array.isArray(table)?table:[]).find((entry)=>entry?.code===code)?.overrides?.[operation]??[];
}
restorePoints(){
return this.#c("GET","/v1/git/restore");
}
restore(point){
return this.#c("POST",`/v1/git/restore/${encodeURIComponent(point)}`);
}
create({repository,branch,name,source}){
const given=Object.entries({repository,branch,name,source}).filter(([,value])=>value);
return this.#c("POST","/v1/git/worktrees",Object.fromEntries(given));
}
trust(id,digest){
return this.#c("POST",`${path(id)}/trust`,{digest});
}
distrust(id){
return this.#c("DELETE",`${path(id)}/trust`);
}
seen(id){
return this.#c("POST",`${path(id)}/seen`);
}
async #c(method,address,body){
const headers={...this.fields(),Accept:"application/json"};
if(body)headers["Content-Type"]="application/json";
const response=await fetch(address,{
method,headers,body:body&&JSON.stringify(body),cache:"no-store",signal:signalWithin(PATIENCE_MS),
});
const document=await response.json().catch(()=>null);
if(!response.ok)throw new Refusal(response.status,document);
return document;
}
}
const named=(processes)=>(processes.length>0?{processes}:{});
const path=(id)=>`/v1/git/worktrees/${encodeURIComponent(id)}`;
return{Refusal,WorkspaceApi};
})();
const m_worktrees_action_sheet=(()=>{
const{element,makeDialog,newElement,setText}=m_shared_dom;
const{pressGuard}=m_shared_press_guard;
const{Refusal}=m_worktrees_workspace_api;
const OPERATIONS={remove:"delete"};
class ActionSheet{
#j=makeDialog(element("action"));
#q=element("action-form");
#al=null;
#n=null;
#am=false;
#ap=[];
#bg=false;
#g=0;
constructor(page){
this.page=page;
this.#q.addEventListener("submit",(event)=>{
event.preventDefault();
this.#dq();
});
this.#j.addEventListener("close",()=>!this.#j.open&&(this.#g +=1));
}
open(operation,card){
const{say}=this.page;
[this.#al,this.#n,this.#am]=[card,operation,false];
[this.#ap,this.#bg]=[[],false];
setText(element("action-title"),say(`${operation}Title`,{name:card.name}));
setText(element("action-explanation"),say(`${operation}Explanation`,{source:this.#ce}));
this.#q.reset();
this.#h([]);
this.#cf(say(operation));
this.#cg(false);
this.#j.showModal();
if(isAboutTrust(operation))this.#dr();
else if(operation !=="remove")this.#ds();
}
#dr(){
const{programs=[],count=0}=this.#al.worktree.git?.trust??{};
const lines=programs.map(({key,command,file})=>`${key} = ${command}${file?` (${file})`:""}`);
if(count>programs.length)lines.push(this.page.say("moreFiles",{count:count - programs.length}));
this.#h([],lines);
}
get #ce(){
const{git,source_branch:branch}=this.#al.worktree;
return git?.compared??branch??"";
}
async #ds(){
const{page}=this;
const number=(this.#g +=1);
this.#h([page.say("checking")]);
try{
const report=await page.api.check(this.#al.worktree.id,this.#n);
pressGuard.run(this,()=>number===this.#g&&this.#dt(report));
}catch(failure){
if(number===this.#g)await this.#ch(failure);
}
}
#dt(report){
const{page}=this;
this.#cg(report?.has_conflicts===true);
if(report?.has_conflicts)this.#h([page.say("wouldConflict")],report.conflict_files??[],"grave");
else this.#h([page.say("noConflicts")],[],"good");
}
async #dq(){
if(element("action-go").hidden)return;
const{page}=this;
const number=(this.#g +=1);
const given=new FormData(this.#q);
const{worktree}=this.#al;
const{id}=worktree;
const source=this.#ce;
const isOn=(name)=>given.get(name)==="on";
const processes=this.#ap;
this.#ci(true);
this.#h([page.say("working")]);
try{
const answer=await{
merge:()=>page.api.merge(id,{squash:isOn("squash"),cleansUp:isOn("cleanup"),processes}),
sync:()=>page.api.sync(id,{
strategy:given.get("strategy")??"rebase",fetches:isOn("fetch"),rewritesPushed:this.#bg,processes,
}),
trust:()=>page.api.trust(id,worktree.git?.trust?.digest),
distrust:()=>page.api.distrust(id),
remove:()=>page.api.remove(id,{isForced:this.#am,removesBranch:isOn("branch"),processes}),
}[this.#n]();
page.done(this.#du(answer,worktree,source),answer?.removed??answer?.restore);
if(number===this.#g)this.#j.close();
}catch(failure){
if(number===this.#g)await this.#ch(failure);
else page.done(page.refusalInWords(failure).join(" "));
}finally{
this.#ci(false);
}
}
#du(answer,{git,branch,path},source){
const{say}=this.page;
const name=this.#n==="remove"?path:git?.branch??branch??path;
const reason=/; .* stays: (.+)$/s.exec(answer?.message??"")?.[1];
const done=say(`done-${this.#n}`,{name,source});
return reason?`${done} ${say("worktreeStays",{reason})}`:done;
}
async #ch(failure){
const{page}=this;
const number=this.#g;
const isRefusal=failure instanceof Refusal;
const operation=OPERATIONS[this.#n]??this.#n;
const overrides=isRefusal&&failure.code?await page.api.overrides(failure.code,operation):[];
if(number !==this.#g)return;
const processes=overrides.includes("processes")?failure.processes.map(({pid})=>pid):[];
this.#ap=[...this.#ap,...processes];
this.#bg||=overrides.includes("rewrite_pushed");
this.#am=overrides.includes("force");
const isPassable=this.#am||processes.length>0||overrides.includes("rewrite_pushed");
this.#h(page.refusalInWords(failure),failure.files??[],"grave");
this.#cf(page.say(this.#am?"removeForced":isPassable?"anyway":this.#n),isPassable);
}
#h(sentences,files=[],kind=""){
element("action-message").dataset.kind=kind;
element("action-message").replaceChildren(...sentences.map((sentence)=>newElement("p","",sentence)));
const list=element("action-files");
list.hidden=files.length===0;
list.replaceChildren(...files.map((file)=>newElement("li","",file)));
}
#cf(label,isGrave=false){
setText(element("action-go"),label);
element("action-go").classList.toggle("grave",isGrave);
}
#cg(isBlocked){
element("action-go").hidden=isBlocked;
for(const field of this.#q.querySelectorAll("[data-of]"))field.hidden=isBlocked||field.dataset.of !==this.#n;
}
#ci(isBusy){
element("action-go").disabled=isBusy;
}
}
function isAboutTrust(operation){
return operation==="trust"||operation==="distrust";
}
class CreationSheet{
#j=makeDialog(element("creation"));
#q=element("creation-form");
constructor(page){
this.page=page;
this.#q.addEventListener("submit",(event)=>{
event.preventDefault();
this.#dv();
});
element("creation-repository").addEventListener("change",()=>this.#cj());
}
open(){
const repositories=[...new Set(this.page.worktrees.map(({repo_id:id})=>id).filter(Boolean))].sort();
this.#q.reset();
element("creation-repository").replaceChildren(...repositories.map((id)=>new Option(id,id)));
this.#h(repositories.length===0?[this.page.say("noRepository")]:[]);
element("creation-go").disabled=repositories.length===0;
this.#j.showModal();
if(repositories.length>0)this.#cj();
}
async #cj(){
const repository=element("creation-repository").value;
const names=await this.page.api.branches(repository).catch(()=>[]);
if(repository !==element("creation-repository").value||!Array.isArray(names))return;
element("creation-sources").replaceChildren(...names.filter((name)=>typeof name==="string").map((name)=>new Option(name,name)));
}
async #dv(){
const{page}=this;
const given=Object.fromEntries([...new FormData(this.#q)].map(([name,value])=>[name,String(value).trim()]));
if(!given.branch&&!given.name)return this.#h([page.say("branchNeeded")]);
element("creation-go").disabled=true;
this.#h([page.say("working")]);
try{
await page.api.create(given);
this.#j.close();
page.done(page.say("done-create",{name:given.branch||given.name}));
}catch(failure){
this.#h(page.refusalInWords(failure),failure.files??[],"grave");
}finally{
element("creation-go").disabled=false;
}
}
#h(sentences,files=[],kind=""){
element("creation-message").dataset.kind=kind;
element("creation-message").replaceChildren(...[...sentences,...files].map((sentence)=>newElement("p","",sentence)));
}
}
return{ActionSheet,CreationSheet};
})();
const m_worktrees_agent_reason=(()=>{
const REASONS={
"it asks for a permission":"reason-permission",
"it asks a question":"reason-question",
"it asks whether its plan is right":"reason-plan",
"it seems to ask for a permission":"reason-seemsPermission",
"it waits for an answer":"reason-answer",
"the turn failed":"reason-failed",
"its process ended in the middle of a turn":"reason-cut",
"its process ended in the middle of a turn, and was started again":"reason-restarted",
"a command of yours runs in the background":"reason-background",
"no sign of life for a long time":"reason-silent",
"its log says nothing of a turn":"reason-noTurn",
"nothing was asked yet, or its log was not found":"reason-notAsked",
"it runs here, and no log of it was found":"reason-noLog",
};
function reasonInWords(reason,say){
if(!reason)return "";
if(Object.hasOwn(REASONS,reason))return say(REASONS[reason]);
const cut=reason.indexOf(": ");
const beginning=cut<0?"":reason.slice(0,cut);
return Object.hasOwn(REASONS,beginning)?say("reasonOf",{reason:say(REASONS[beginning]),what:reason.slice(cut + 2)}):reason;
}
return{REASONS,reasonInWords};
})();
const m_worktrees_diff_sheet=(()=>{
const{element,makeDialog,newElement,setText}=m_shared_dom;
const OPEN_FILES=3;
const MOST_LINES=2000;
const HEADING=/^(?:diff --git |index |--- |\+\+\+ |new file|deleted file|similarity index |rename (?:from|to) |copy (?:from|to) )/;
const KINDS=["added","deleted","modified","renamed","copied","type changed","conflicted","added (untracked)"];
const OMITTED=["binary","too_large","symbolic_link","repository","unreadable"];
class DiffSheet{
#j=makeDialog(element("diff"));
#g=0;
constructor(page){
this.page=page;
}
async open(card){
const{page}=this;
const{say}=page;
const number=(this.#g +=1);
setText(element("diff-title"),say("diffOf",{name:card.name}));
setText(element("diff-note"),say("loading"));
element("diff-files").replaceChildren();
if(!this.#j.open)this.#j.showModal();
let diff;
try{
diff=await page.api.diff(card.worktree.id);
}catch(failure){
if(number===this.#g)setText(element("diff-note"),page.refusalInWords(failure).join(" "));
return;
}
if(number !==this.#g)return;
const files=Array.isArray(diff?.file_diffs)?diff.file_diffs:[];
const note=files.length===0?say("diffEmpty"):say("diffFiles",{count:diff.total_files??files.length,source:diff.source_branch??""});
setText(element("diff-note"),diff?.is_truncated?`${note} ${say("diffTruncated")}`:note);
element("diff-files").replaceChildren(...files.map((file,index)=>fileNode(file,index<OPEN_FILES,say)));
}
}
function fileNode(file,isOpen,say){
const node=newElement("details","diff-file");
const head=newElement("summary","");
const name=file.old_path&&file.old_path !==file.file_path?`${file.old_path} → ${file.file_path}`:file.file_path;
head.append(newElement("span","diff-name",name),newElement("span","diff-kind",changeInWords(file.change_type??"",say)));
if(file.added>0)head.append(newElement("span","diff-added",`+${file.added}`));
if(file.removed>0)head.append(newElement("span","diff-removed",`−${file.removed}`));
node.append(head);
const fill=()=>node.children.length===1&&node.append(textNode(file,say));
node.addEventListener("toggle",()=>node.open&&fill());
node.open=isOpen;
if(isOpen)fill();
return node;
}
function changeInWords(change,say){
return KINDS.includes(change)?say(`change-${change}`):change;
}
function textNode(file,say){
if(!file.diff_text){
const reason=OMITTED.includes(file.omitted)?say(`omitted-${file.omitted}`):file.omitted;
return newElement("p","diff-omitted",reason?say("diffOmitted",{reason}):say("diffNoText"));
}
const lines=linesOf(file.diff_text);
const text=newElement("pre","diff-text");
text.tabIndex=0;
text.append(...lines.slice(0,MOST_LINES).map(({kind,line})=>newElement("span",kind,`${line}\n`)));
if(lines.length>MOST_LINES)text.append(newElement("span","hunk",say("diffCut",{count:lines.length - MOST_LINES})));
return text;
}
function linesOf(text){
const lines=[];
let isInside=false;
for(const line of text.replace(/\n$/,"").split("\n")){
if(line.startsWith("@@"))isInside=true;
else if(line.startsWith("diff --git "))isInside=false;
if(isInside)lines.push({kind:{"+":"added","-":"removed","@":"hunk","\\":"hunk"}[line[0]]??"same",line});
else if(!HEADING.test(line))lines.push({kind:"hunk",line});
}
return lines;
}
return{DiffSheet,linesOf};
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
const m_shared_freshness_line=(()=>{
const{clockTime,duration}=m_shared_moments;
const STATUS_WORDS={
partial:"livePartial",skippedBudget:"liveSkipped",disabled:"timetableOnly",missingCache:"liveMissing",
staleCache:"liveStale",guardedError:"liveError",unknown:"liveUnknown",
};
const MODE_WORDS={
degradedStatic:"modeDegraded",staleCacheFallback:"modeCopy",staticTimeoutFallback:"modeTimeout",unknown:"liveUnknown",
};
const FAILURE_WORDS={
timedOut:"failedTimeout",unreachable:"failedUnreachable",undecodable:"failedUnreadable",missingBody:"failedUnreadable",
throttled:"failedBusy",refused:"failedRefused",unauthorised:"failedUnauthorised",gone:"failedGone",
};
function freshnessLine({look,problem,retryIn,saved,shownAt,zone,coverage,count},say){
if(!look)return{state:"none",title:"",detail:""};
const age=look.label.age??saved?.age??null;
const provenance=saved?"disk":look.label.provenance;
const facts={look,problem,retryIn,age,provenance,shownAt,zone};
if(look.connectivity==="offline")return line("offline",say("offline"),[aged(facts,say),boardOf(facts,say)]);
if(look.failure)return failing(facts,say);
if(look.revision===null){
return saved?line("saved",aged(facts,say),[say("savedBoard")]):line("loading",say("loading"),[]);
}
if(provenance==="disk")return line("saved",aged(facts,say),[say("savedBoard")]);
if(provenance==="local")return line("unconfirmed",say("unconfirmed"),[updated(age,say)]);
if(look.label.isHeld)return line("held",say("held"),[updated(age,say)]);
return labelled(look,{coverage,count},say);
}
function line(state,title,details){
return{state,title,detail:details.filter(Boolean).join(" · ")};
}
function failing(facts,say){
const{look,problem,retryIn}=facts;
if(problem?.error==="stop_not_found")return line("failing",say("failedNoStop"),[aged(facts,say)]);
const title=problem?.error==="no_timetable"?say("failedNoTimetable")
:say(FAILURE_WORDS[look.failure]??"failedServer",{status:look.failureStatus});
const next=retryIn===null?null:retryIn>500?say("tryingAgainIn",{span:duration(Math.ceil(retryIn / 1000))}):say("tryingAgainNow");
return line("failing",title,[aged(facts,say),next]);
}
function aged({age,provenance},say){
if(age===null)return null;
if(provenance==="disk")return say("fromDisk",{age:duration(age / 1000)});
return provenance==="local"?say("unconfirmed"):updated(age,say);
}
function boardOf({age,shownAt,zone},say){
return age===null||shownAt==null?null:say("boardOf",{time:clockTime(shownAt,zone)});
}
function labelled(look,board,say){
const{marker,badge,age}=look.label;
const ago=[updated(age,say)];
const status=marker.reduced?.status;
const known=realtimeLabel(status??(marker==="none"||marker.reduced?null:"applied"),board);
if(known&&known.words !=="live"){
if(known.state !=="live")return line(known.state,say(known.words),ago);
if(badge==="unavailable")return line("stale",say("liveOld"),ago);
return line(badge==="partial"?"ageing":"live",say(known.words,known),ago);
}
if(status==="disabled")return line("timetable",say("timetableOnly"),[checked(look,say)]);
if(status)return line(status==="partial"||status==="skippedBudget"?"reduced":"stale",say(STATUS_WORDS[status]??"liveUnknown"),ago);
if(marker.reduced)return line("reduced",say(MODE_WORDS[marker.reduced.mode]??"liveUnknown"),ago);
if(marker==="none")return line("timetable",say("timetableOnly"),[checked(look,say)]);
if(badge==="live")return line("live",say("live"),ago);
return badge==="partial"?line("ageing",say("live"),ago):line("stale",say("liveOld"),ago);
}
function realtimeLabel(status,{coverage,count}){
if(!coverage)return null;
const{departures,live,old,tripUpdates,matched,added=0,withoutEffect={}}=coverage;
if(status==="applied"||status==="partial"){
if(live>=departures&&live>0)return{state:"live",words:"live"};
if(live>0)return{state:"live",words:"liveFor",live,count:departures};
if(status==="partial"&&matched===0&&added===0&&!withoutEffect.says_nothing&&tripUpdates>0)return{state:"reduced",words:"liveNoMatch"};
if(departures>0)return{state:"timetable",words:"liveNone"};
return count>0?{state:"timetable",words:"liveNotYet"}:{state:"live",words:"live"};
}
if(live + old===0)return null;
if(status==="staleCache")return{state:"stale",words:"liveOld"};
return status==="guardedError"?{state:"stale",words:"liveOldError"}:null;
}
function updated(age,say){
return age===null?null:say("updatedAgo",{age:duration(age / 1000)});
}
function checked({label},say){
return label.age===null?null:say("checkedAgo",{age:duration(label.age / 1000)});
}
return{freshnessLine,updated};
})();
const m_engine_freshness_words=(()=>{
const CODES=Object.freeze([
"tooShort","tooLong","unknownNumber","outOfRange","noRoom","noSuchMachine","outOfMemory",
"tooManyMachines",
]);
const NUMBERS=Object.freeze({
event:[
"started","stopped","paceWished","prefetch","woke","slept","lifecycle","focused",
"connectivity","wished","contextChanged","activity","acted","fulfilled","wrote","evicted",
"answered","linkOpened","linkHeard","linkChanged","linkDelivered","linkGap","linkLost",
"restored","restrained","notHeld","queued",
],
originEvent:["asks","ended","withdrew","opens"],
outcome:[
"content","unchanged","refused","unauthorised","gone","throttled","serverError",
"timedOut","unreachable","undecodable","cancelled",
],
retryHint:["seconds","date"],
failure:[
"refused","unauthorised","gone","throttled","serverError","timedOut","unreachable",
"undecodable","missingBody",
],
jitter:["none","signed","within","share","above","full"],
marker:["none","normal","reducedByStatus","reducedByMode"],
wording:["seconds","minutes","hours"],
preset:["every","departuresWeb","departuresNative","departuresWeb5s","workspaces","jobs"],
lifecycle:["foreground","background","suspended"],
connectivity:["online","metered","offline"],
activity:["quiet","active"],
pace:["active","recent","idle","background"],
origin:["prefetch","schedule","catchUp","change","person"],
mode:["full","degradedStatic","staleCacheFallback","staticTimeoutFallback","unknown"],
status:[
"applied","partial","skippedBudget","disabled","missingCache","staleCache","guardedError",
"unknown",
],
snapshot:["none","apply","verify","hold","clear"],
link:["open","close"],
priority:["low","normal","high"],
verdict:[
"keepUnmodified","applyRealtime","applyNothingToLose","applyForced","applyTooOld",
"applyAlways","keepBetter","keepNewer",
],
provenance:["server","local","disk"],
badge:["live","partial","unavailable","unknown"],
notice:["none","mild","unavailable"],
nextCause:[
"unwatched","offline","paused","outstanding","cadence","stated","learned","longPoll",
"safetyPoll","retry","backoff","degraded","recheck","retryAfter","spread","reconnect","news",
"origin","patience",
],
changes:["snapshot","failure","loading","label"],
notes:[
"coalesced","superseded","held","retried","rescued","drifted","timedOut",
"prefetchDropped","deferred","linkLost","overtaken",
],
});
const WISHES=Object.freeze({
person:["person",false,false,true],
hardRefresh:["person",true,false,true],
schedule:["schedule",false,false,false],
change:["change",false,false,false],
});
class EngineError extends Error{
constructor(code,where,problem){
super(where?`${where}: ${problem}`:problem);
this.name="EngineError";
this.code=code;
this.where=where;
}
}
class Members{
constructor(value,where){
if(value===null||typeof value !=="object"||Array.isArray(value)){
throw new EngineError("wrongType",where,`an object is expected, not ${kindOf(value)}`);
}
this.value=value;
this.where=where;
this.unread=new Set(Object.keys(value));
}
name(member){
return `${this.where}.${member}`;
}
has(member){
return this.value[member] !==undefined;
}
take(member,fallback){
this.unread.delete(member);
const value=this.value[member];
if(value !==undefined)return value;
if(fallback===undefined)throw new EngineError("missing",this.name(member),"is missing");
return fallback;
}
end(){
for(const member of this.unread){
if(this.value[member]===undefined)continue;
throw new EngineError("unknownMember",this.name(member),"is unknown here");
}
}
}
function kindOf(value){
if(value===null)return "null";
return Array.isArray(value)?"a list":`a ${typeof value}`;
}
const HIGH=4294967296;
const LIMIT=2 ** 53;
const NONE=-2147483648;
class Writer{
constructor(view,offset,capacity){
this.view=view;
this.offset=offset;
this.capacity=capacity;
this.names=[];
}
get count(){
return this.names.length;
}
put(high,low,where){
if(this.names.length===this.capacity){
throw new EngineError("noRoom",where,"the message is too long");
}
const place=this.offset + 8 * this.names.length;
this.view.setInt32(place,low,true);
this.view.setInt32(place + 4,high,true);
this.names.push(where);
}
none(where){
this.put(NONE,0,where);
}
integer(value,where){
if(typeof value !=="number"){
throw new EngineError("wrongType",where,`a number is expected, not ${kindOf(value)}`);
}
if(!Number.isInteger(value)||Math.abs(value)>LIMIT){
throw new EngineError("outOfRange",where,`${value} is no whole number of at most 2^53`);
}
this.put(Math.floor(value / HIGH),value|0,where);
}
moment(value,where){
this.integer(typeof value==="number"?Math.floor(value):value,where);
}
optional(value,where){
if(value===null)this.none(where);
else this.integer(value,where);
}
flag(value,where){
if(typeof value !=="boolean"){
throw new EngineError("wrongType",where,`a boolean is expected, not ${kindOf(value)}`);
}
this.put(0,value?1:0,where);
}
named(table,name,where){
const index=NUMBERS[table].indexOf(name);
if(index<0){
const known=NUMBERS[table].join(", ");
throw new EngineError("unknownName",where,`${JSON.stringify(name)} is not one of ${known}`);
}
this.put(0,index + 1,where);
}
optionalNamed(table,name,where){
if(name===null)this.none(where);
else this.named(table,name,where);
}
}
class Reader{
constructor(view,offset,count){
this.view=view;
this.place=offset;
this.end=offset + 8 * count;
}
optional(){
if(this.place>=this.end)throw new EngineError("tooShort","","the module's answer is too short");
const low=this.view.getUint32(this.place,true);
const high=this.view.getInt32(this.place + 4,true);
this.place +=8;
return high===NONE&&low===0?null:high * HIGH + low;
}
integer(){
const value=this.optional();
if(value===null)throw new EngineError("outOfRange","","the module's answer lacks a value");
return value;
}
flag(){
return this.integer()===1;
}
optionalNamed(table){
const number=this.optional();
return number===null?null:this.name(table,number);
}
named(table){
return this.name(table,this.integer());
}
name(table,number){
const name=NUMBERS[table][number - 1];
if(name===undefined){
throw new EngineError("unknownNumber","",`the module's ${table} ${number} is unknown`);
}
return name;
}
set(table){
const bits=this.integer();
return NUMBERS[table].filter((_,index)=>bits&(1<<index));
}
finish(){
if(this.place !==this.end)throw new EngineError("tooLong","","the module's answer is too long");
}
}
return{CODES,NUMBERS,WISHES,EngineError,Members,kindOf,Writer,Reader};
})();
const m_engine_freshness_messages=(()=>{
const{EngineError,Members,NUMBERS,WISHES,kindOf}=m_engine_freshness_words;
function writeContext(writer,value,where){
const members=new Members(value,where);
writer.integer(members.take("question"),members.name("question"));
writer.integer(members.take("identity",0),members.name("identity"));
members.end();
}
function writeWish(writer,members){
if(members.has("wish")){
const name=members.take("wish");
const where=members.name("wish");
if(!Object.hasOwn(WISHES,name)){
const known=Object.keys(WISHES).join(", ");
throw new EngineError("unknownName",where,`${JSON.stringify(name)} is not one of ${known}`);
}
const [origin,...flags]=WISHES[name];
writer.named("origin",origin,where);
for(const flag of flags)writer.flag(flag,where);
return;
}
writer.named("origin",members.take("origin"),members.name("origin"));
for(const flag of ["isForced","isUnconditional","showsLoading"]){
writer.flag(members.take(flag,false),members.name(flag));
}
}
function writeOutcome(writer,members){
const outcome=members.take("outcome");
writer.named("outcome",outcome,members.name("outcome"));
if(outcome==="content"){
writer.integer(members.take("revision"),members.name("revision"));
writer.optional(members.take("validator",null),members.name("validator"));
writer.flag(members.take("hasRealtime",false),members.name("hasRealtime"));
writer.flag(members.take("fulfilsAction",false),members.name("fulfilsAction"));
}else if(outcome==="throttled"){
const hint=members.take("retryAfter",null);
writer.flag(hint !==null,members.name("retryAfter"));
if(hint !==null)writeRetryHint(writer,new Members(hint,members.name("retryAfter")));
}else if(outcome==="undecodable"){
writer.integer(members.take("reason"),members.name("reason"));
}
}
function writeRetryHint(writer,members){
const form=members.has("date")?"date":"seconds";
writer.named("retryHint",form,members.where);
writer.integer(members.take(form),members.name(form));
members.end();
}
function writeMarks(writer,members){
for(const field of ["serverTime","fetchedAt","cacheAge"]){
writer.optional(members.take(field,null),members.name(field));
}
for(const field of ["transit","truncation"])writer.integer(members.take(field,0),members.name(field));
writer.optionalNamed("mode",members.take("mode",null),members.name("mode"));
writer.optionalNamed("status",members.take("status",null),members.name("status"));
const flag=members.take("appliedFlag",null);
if(flag===null)writer.none(members.name("appliedFlag"));
else writer.flag(flag,members.name("appliedFlag"));
writer.optionalNamed("status",members.take("reason",null),members.name("reason"));
members.end();
}
function writeAnswer(writer,value,where){
const members=new Members(value,where);
writeOutcome(writer,members);
writer.integer(members.take("status",0),members.name("status"));
writer.integer(members.take("bytes",0),members.name("bytes"));
writeMarks(writer,new Members(members.take("marks",{}),members.name("marks")));
const hints=new Members(members.take("hints",{}),members.name("hints"));
for(const field of ["nextExpectedAt","maxAge","spread"]){
writer.optional(hints.take(field,null),hints.name(field));
}
hints.end();
writer.optionalNamed("activity",members.take("activity",null),members.name("activity"));
writer.optional(members.take("deviceTime",null),members.name("deviceTime"));
writer.optional(members.take("delay",null),members.name("delay"));
writer.integer(members.take("decoding",0),members.name("decoding"));
members.end();
}
const RESTRAINT=["notBefore","quietUntil","leastInterval"];
const ORIGIN_VALUES={
asks:(writer,values)=>{
writer.named("priority",values.take("priority"),values.name("priority"));
writer.flag(values.take("isLongPoll"),values.name("isLongPoll"));
},
ended:(writer,values)=>{
writeOutcome(writer,values);
writer.optional(values.take("serverTime",null),values.name("serverTime"));
const limit=values.take("rateLimit",null);
writer.flag(limit !==null,values.name("rateLimit"));
if(limit !==null){
const members=new Members(limit,values.name("rateLimit"));
for(const field of ["remaining","reset"])writer.integer(members.take(field),members.name(field));
members.end();
}
writer.integer(values.take("resources",1),values.name("resources"));
},
withdrew:()=>{},
opens:()=>{},
};
function writeOriginEvent(writer,event){
const members=new Members(event,"event");
const name=members.take("event");
writer.named("originEvent",name,members.name("event"));
const values=new Members(members.take("with"),members.name("with"));
writer.integer(values.take("number"),values.name("number"));
writer.moment(values.take("now"),values.name("now"));
ORIGIN_VALUES[name](writer,values);
values.end();
members.end();
}
function readOriginOrders(reader){
const restraint=Object.fromEntries(RESTRAINT.map((name)=>[name,reader.optional()]));
const send=Array.from({length:reader.integer()},()=>({number:reader.integer(),isHeld:reader.flag()}));
return{restraint,send,delayed:Array.from({length:reader.integer()},()=>reader.integer())};
}
function writeTicket(writer,values){
writer.integer(values.take("generation"),values.name("generation"));
writeContext(writer,values.take("context"),values.name("context"));
}
const EVENT_VALUES={
paceWished:(writer,values)=>writer.optional(values.take("interval"),values.name("interval")),
lifecycle:(writer,values)=>writer.named("lifecycle",values.take("to"),values.name("to")),
connectivity:(writer,values)=>writer.named("connectivity",values.take("to"),values.name("to")),
wished:writeWish,
contextChanged:(writer,values)=>{
writer.integer(values.take("question"),values.name("question"));
writer.integer(values.take("identity",0),values.name("identity"));
},
activity:(writer,values)=>writer.named("activity",values.take("is"),values.name("is")),
wrote:(writer,values)=>writer.integer(values.take("revision"),values.name("revision")),
restored:(writer,values)=>{
writer.integer(values.take("revision"),values.name("revision"));
writer.integer(values.take("age"),values.name("age"));
writer.optional(values.take("sourceTime",null),values.name("sourceTime"));
},
restrained:(writer,values)=>{
for(const name of RESTRAINT){
const value=values.take(name,null);
if(value===null)writer.none(values.name(name));
else writer.moment(value,values.name(name));
}
},
answered:(writer,values)=>{
writeTicket(writer,values);
writeAnswer(writer,values.take("answer"),values.name("answer"));
},
notHeld:writeTicket,
queued:writeTicket,
linkOpened:(writer,values)=>writer.flag(values.take("isResumed"),values.name("isResumed")),
linkDelivered:(writer,values)=>{
writeContext(writer,values.take("context"),values.name("context"));
writeAnswer(writer,values.take("answer"),values.name("answer"));
},
};
function writeEvent(writer,event){
const members=new Members(event,"event");
const name=members.take("event");
writer.named("event",name,"event.event");
const write=Object.hasOwn(EVENT_VALUES,name)?EVENT_VALUES[name]:undefined;
if(write){
const values=new Members(members.take("with"),"event.with");
write(writer,values);
values.end();
}
members.end();
}
const POLICY_FIELDS=[
["active","integer"],["recent","integer"],["recentFor","integer"],["idle","integer"],
["background","optional"],["jitter","jitter"],["leastInterval","integer"],
["leastWait","integer"],["burst","integer"],["spread","integer"],
["focusDebounce","integer"],["impatience","integer"],["timeout","integer"],["retryDelay","optional"],
["ladder","list"],["ladderJitter","jitter"],["retryAfterCap","integer"],
["recheck","integer"],["recheckGone","integer"],["driftFloor","integer"],["driftPercent","integer"],
["stallFloor","integer"],["stallFactor","integer"],["rescueCooldown","integer"],
["unchangedLimit","optional"],["unchangedFor","optional"],["holdCap","optional"],
["clockTolerance","integer"],
["degradedRearm","integer"],["badgePartialAfter","integer"],
["badgeUnavailableAfter","integer"],["alignment","alignment"],["longPoll","optional"],
["push","push"],["prefetches","flag"],["ringCapacity","integer"],
];
const RECORDS={
alignment:["delay","spread","slack","tolerance"],
push:["heartbeat","watchdogPercent","openTimeout","safetyPoll","leastGap","stableAfter"],
};
const JITTER_VALUES={none:0,signed:2,within:1,share:1,above:1,full:0};
function writeJitter(writer,value,where){
const kind=typeof value==="string"?value:Object.keys(new Members(value,where).value)[0];
writer.named("jitter",kind,where);
const isBare=JITTER_VALUES[kind]===0;
if(isBare !==(typeof value==="string")||(!isBare&&Object.keys(value).length !==1)){
const form=isBare?`"${kind}"`:`{"${kind}": …}`;
throw new EngineError("wrongType",where,`${form} is expected`);
}
if(isBare)return;
const values=JITTER_VALUES[kind]===1?[value[kind]]:value[kind];
if(!Array.isArray(values)||values.length !==JITTER_VALUES[kind]){
throw new EngineError("wrongType",`${where}.${kind}`,"two numbers are expected");
}
for(const number of values)writer.integer(number,`${where}.${kind}`);
}
function readJitter(reader){
const kind=reader.named("jitter");
const values=Array.from({length:JITTER_VALUES[kind]},()=>reader.integer());
if(values.length===0)return kind;
return{[kind]:values.length===1?values[0]:values};
}
function writePolicy(writer,policy){
for(const [field,kind] of POLICY_FIELDS){
const value=policy[field];
const where=`policy.${field}`;
if(kind==="jitter"){
writeJitter(writer,value,where);
}else if(kind==="list"){
if(!Array.isArray(value)){
throw new EngineError("wrongType",where,`a list is expected, not ${kindOf(value)}`);
}
writer.integer(value.length,where);
value.forEach((step,index)=>writer.integer(step,`${where}[${index}]`));
}else if(kind in RECORDS){
writer.flag(value !==null,where);
if(value===null)continue;
const members=new Members(value,where);
for(const name of RECORDS[kind])writer.integer(members.take(name),members.name(name));
members.end();
}else{
writer[kind](value,where);
}
}
}
function readPolicy(reader){
const policy={};
for(const [field,kind] of POLICY_FIELDS){
if(kind==="jitter"){
policy[field]=readJitter(reader);
}else if(kind==="list"){
policy[field]=Array.from({length:reader.integer()},()=>reader.integer());
}else if(kind in RECORDS){
policy[field]=reader.flag()
?Object.fromEntries(RECORDS[kind].map((name)=>[name,reader.integer()])):null;
}else{
policy[field]=reader[kind]();
}
}
return policy;
}
function readContext(reader){
return{question:reader.integer(),identity:reader.integer()};
}
function readRequest(reader){
return{
generation:reader.integer(),
context:readContext(reader),
validator:reader.optional(),
longPoll:reader.optional(),
timeout:reader.integer(),
priority:reader.named("priority"),
origin:reader.named("origin"),
isForced:reader.flag(),
isUnconditional:reader.flag(),
showsLoading:reader.flag(),
cadence:reader.integer(),
};
}
function readOutcome(reader){
const outcome=reader.named("outcome");
switch(outcome){
case "content":
return{
outcome,
revision:reader.integer(),
validator:reader.optional(),
hasRealtime:reader.flag(),
fulfilsAction:reader.flag(),
};
case "throttled":
return{
outcome,
retryAfter:reader.flag()?{[reader.named("retryHint")]:reader.integer()}:null,
};
case "undecodable":return{outcome,reason:reader.integer()};
default:return{outcome};
}
}
function readMarks(reader){
const marks={
serverTime:reader.optional(),
fetchedAt:reader.optional(),
cacheAge:reader.optional(),
transit:reader.integer(),
truncation:reader.integer(),
mode:reader.optionalNamed("mode"),
status:reader.optionalNamed("status"),
};
const flag=reader.optional();
marks.appliedFlag=flag===null?null:flag===1;
marks.reason=reader.optionalNamed("status");
return marks;
}
function readSample(reader){
const sample={
generation:reader.integer(),
context:readContext(reader),
startedAt:reader.integer(),
endedAt:reader.integer(),
duration:0,
status:reader.integer(),
...readOutcome(reader),
verdict:reader.optionalNamed("verdict"),
marks:readMarks(reader),
skew:reader.optional(),
bytes:reader.integer(),
isConditional:reader.flag(),
isChange:reader.flag(),
changeToScreen:reader.optional(),
cadence:reader.integer(),
};
sample.duration=sample.endedAt - sample.startedAt;
return sample;
}
function readEffects(reader){
let cancel=null;
if(reader.flag()){
cancel=reader.integer();
readContext(reader);
}
return{
cancel,
snapshot:reader.named("snapshot"),
asOf:reader.optional(),
changes:reader.set("changes"),
request:reader.flag()?readRequest(reader):null,
link:reader.optionalNamed("link"),
alarm:reader.optional(),
sample:reader.flag()?readSample(reader):null,
notes:reader.set("notes"),
};
}
function readLabel(reader){
const marker=reader.named("marker");
const number=reader.optional();
const label={marker};
if(marker==="reducedByStatus")label.marker={reduced:{status:reader.name("status",number)}};
if(marker==="reducedByMode")label.marker={reduced:{mode:reader.name("mode",number)}};
label.badge=reader.named("badge");
label.notice=reader.named("notice");
label.age=reader.optional();
label.isHeld=reader.flag();
label.provenance=reader.named("provenance");
const unit=reader.optionalNamed("wording");
const count=reader.optional();
label.wording=unit===null?null:{[unit]:count};
return label;
}
function readLook(reader){
const look={
lifecycle:reader.named("lifecycle"),
connectivity:reader.named("connectivity"),
context:readContext(reader),
alarm:reader.optional(),
revision:null,
validator:null,
hasRealtime:null,
ageAtArrival:null,
arrivedAt:null,
hasServerAge:null,
sourceTime:null,
provenance:null,
changedAt:null,
verifiedAt:null,
failure:null,
failureReason:null,
failureStatus:null,
failureSince:null,
};
if(reader.flag()){
look.revision=reader.integer();
look.validator=reader.optional();
look.hasRealtime=reader.flag();
look.ageAtArrival=reader.integer();
look.arrivedAt=reader.integer();
look.hasServerAge=reader.flag();
look.sourceTime=reader.optional();
look.provenance=reader.named("provenance");
look.changedAt=reader.integer();
look.verifiedAt=reader.integer();
}
if(reader.flag()){
look.failure=reader.named("failure");
look.failureReason=reader.optional();
look.failureStatus=reader.integer();
look.failureSince=reader.integer();
}
look.isLoading=reader.flag();
look.outstanding=null;
if(reader.flag()){
look.outstanding=reader.integer();
readContext(reader);
}
look.hasObservers=reader.flag();
look.isStreaming=reader.flag();
look.failuresInARow=reader.integer();
look.pace=reader.named("pace");
look.label=readLabel(reader);
look.nextCause=reader.named("nextCause");
look.nextDue=reader.optional();
return look;
}
const COUNTERS=[
"requests","cancelled","answers","unchanged","bytes","coalesced","superseded","held",
"retries","rescues","measuredChanges","changeToScreenTotal","changeToScreenLongest",
];
function readCounters(reader){
const counters=Object.fromEntries(COUNTERS.map((name)=>[name,reader.integer()]));
const{answers,unchanged}=counters;
counters.unchangedPercent=answers===0?0:Math.floor((unchanged * 100)/ answers);
return counters;
}
return{writeContext,writeOriginEvent,readOriginOrders,writeEvent,POLICY_FIELDS,RECORDS,writePolicy,readPolicy,readEffects,readLabel,readLook,readCounters};
})();
const m_engine_freshness=(()=>{
const{POLICY_FIELDS,RECORDS,readCounters,readEffects,readLabel,readLook,readOriginOrders,readPolicy,writeContext,writeEvent,writeOriginEvent,writePolicy}=m_engine_freshness_messages;
const{CODES,EngineError,Members,Reader,Writer}=m_engine_freshness_words;
const WIRE_VERSION=10;
class Engine{
#k;
#bh;
#r;
#ck;
#cl=false;
static async load(source){
let module=await source;
if(module instanceof Engine)return module;
if(typeof Response !=="undefined"&&module instanceof Response){
if(!module.ok)throw new EngineError("wrongModule","",`the module answered ${module.status}`);
module=await module.arrayBuffer();
}
if(!(module instanceof WebAssembly.Module))module=await WebAssembly.compile(module);
return new Engine(await WebAssembly.instantiate(module,{}));
}
static draw(){
return crypto.getRandomValues(new Uint32Array(1))[0];
}
constructor(instance){
this.#k=instance.exports;
const version=this.#k.freshness_wire_version?.();
if(version !==WIRE_VERSION){
const problem=`the module speaks wire form ${version}, not ${WIRE_VERSION}`;
throw new EngineError("wrongModule","",problem);
}
this.#r=this.#k.freshness_buffer();
this.#ck=this.#k.freshness_buffer_capacity();
}
get machines(){
return this.#k.freshness_machines();
}
get memory(){
return{
inUse:this.#k.freshness_memory_in_use()>>>0,
size:this.#k.memory.buffer.byteLength,
};
}
policy(description){
const members=new Members(description,"policy");
if(members.has("preset")===members.has("every")){
throw new EngineError("missing","policy.preset","either this or \"every\" is expected");
}
const policy=this.#dw(members);
for(const [field,kind] of POLICY_FIELDS){
if(!members.has(field))continue;
const value=members.take(field);
policy[field]=kind==="push"&&value !==null?this.#dx(value):value;
}
members.end();
return policy;
}
#dw(members){
return this.#b("freshness_preset",[],(writer)=>{
if(members.has("every")){
writer.named("preset","every","policy.every");
writer.integer(members.take("every"),"policy.every");
writer.flag(false,"policy.push");
}else{
const name=members.take("preset");
if(name==="every"){
throw new EngineError("unknownName","policy.preset","\"every\" is a member, not a preset");
}
writer.named("preset",name,"policy.preset");
}
},readPolicy);
}
#dx(value){
const given=new Members(value,"policy.push");
const push=this.#b("freshness_preset",[],(writer)=>{
writer.named("preset","every","policy.push");
writer.integer(1000,"policy.push");
writer.flag(true,"policy.push");
},readPolicy).push;
for(const name of RECORDS.push)push[name]=given.take(name,push[name]);
given.end();
return push;
}
machine(description){
const members=new Members(description,"machine");
const policy=this.policy(members.take("policy"));
const context=members.take("context",{question:0});
members.end();
const handle=this.#b("freshness_create",[],(writer)=>{
writeContext(writer,context,"context");
writePolicy(writer,policy);
});
return new Machine((name,write,read)=>this.#b(name,[handle],write,read));
}
origin(policy){
const whole=this.policy(policy);
const handle=this.#b("freshness_origin_create",[],(writer)=>writePolicy(writer,whole));
return new Origin((name,write,read)=>this.#b(name,[handle],write,read));
}
#b(name,values,write,read){
if(this.#cl)throw new EngineError("broken","","the module stopped at a fault before");
const writer=new Writer(this.#cm(),this.#r,this.#ck);
write?.(writer);
let result;
try{
result=this.#k[name](...values,...(write?[writer.count]:[]));
}catch(fault){
this.#cl=true;
throw new EngineError("broken","",`the module stopped at a fault: ${fault.message}`);
}
if(result<0)throw this.#dy(-result,writer);
if(!read)return result;
const reader=new Reader(this.#cm(),this.#r,result);
const value=read(reader);
reader.finish();
return value;
}
#dy(number,writer){
const code=CODES[number - 1]??"unknown";
const where=number<=4?writer.names[this.#k.freshness_error_position()]??"":"";
const problems={
outOfRange:"the number is out of its range",
noSuchMachine:"the machine was destroyed",
outOfMemory:"there is no memory for it",
tooManyMachines:"there are as many machines as there may be",
};
return new EngineError(code,where,problems[code]??`the module refused the message (${code})`);
}
#cm(){
const{buffer}=this.#k.memory;
if(this.#bh?.buffer !==buffer)this.#bh=new DataView(buffer);
return this.#bh;
}
}
class Machine{
#b;
#z=-Infinity;
constructor(call){
this.#b=call;
}
handle(event,now,draw){
const effects=this.#b("freshness_handle",(writer)=>{
this.#bi(writer,now);
writer.integer(draw,"draw");
writeEvent(writer,event);
},readEffects);
this.#z=Math.floor(now);
return effects;
}
look(now){
return this.#b("freshness_look",(writer)=>this.#bi(writer,now),readLook);
}
label(now){
return this.#b("freshness_label",(writer)=>this.#bi(writer,now),readLabel);
}
policy(){
return this.#b("freshness_policy",null,readPolicy);
}
counters(){
return this.#b("freshness_counters",null,readCounters);
}
destroy(){
this.#b("freshness_destroy",null);
}
#bi(writer,now){
if(Math.floor(now)<this.#z){
const problem=`${now} is before the last event, at ${this.#z}; pass a clock that never runs backwards`;
throw new EngineError("wentBack","now",problem);
}
writer.moment(now,"now");
}
}
class Origin{
#b;
constructor(call){
this.#b=call;
}
handle(event){
return this.#b("freshness_origin_handle",(writer)=>writeOriginEvent(writer,event),readOriginOrders);
}
destroy(){
this.#b("freshness_origin_destroy",null);
}
}
return{CODES:m_engine_freshness_words.CODES,EngineError:m_engine_freshness_words.EngineError,NUMBERS:m_engine_freshness_words.NUMBERS,WISHES:m_engine_freshness_words.WISHES,Engine,Machine,Origin};
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
const m_engine_origin_gate=(()=>{
const gates=new WeakMap();
class OriginGate{
#bj;
#aa;
#cn;
#o=0;
#i=new Map();
#p=new Set();
#ab=new Set();
#ac={};
static of(engine,address,policy,now){
if(!gates.has(engine))gates.set(engine,new Map());
const known=gates.get(engine);
return remembered(known,originOf(address),(name)=>new OriginGate(engine,policy,now,name));
}
constructor(engine,policy,now,name){
this.#bj=engine.origin(policy);
this.#aa=name;
this.#cn=now;
}
get isUnused(){
return this.#ab.size===0&&this.#p.size===0;
}
get isRestrained(){
return Object.values(this.#ac).some((limit)=>limit !==null);
}
get isFailing(){
return(this.#ac.quietUntil??null)!==null;
}
get #co(){
let count=0;
for(const resource of this.#ab)if(resource.isRunning)count +=1;
return Math.max(count,1);
}
destroy(){
this.#bj.destroy();
}
join(resource){
this.#ab.add(resource);
resource.restrain(this.#ac);
return()=>this.#ab.delete(resource);
}
ask({priority,longPoll},start,delay=()=>{}){
this.#o +=1;
const number=this.#o;
this.#i.set(number,{start,delay,isLongPoll:longPoll !==null});
this.#p.add(number);
queueMicrotask(()=>this.#i.has(number)&&this.#cp(number,priority));
return number;
}
hurry(number){
if(this.#i.has(number))this.#cp(number,"high");
}
#cp(number,priority){
try{
this.#v({event:"asks",with:{number,priority,isLongPoll:this.#i.get(number).isLongPoll}});
}catch(failure){
if(failure.code !=="noRoom")throw failure;
this.#cq(number);
}
}
stream(open,refuse){
if(this.#dz()){
queueMicrotask(open);
return null;
}
this.#o +=1;
const number=this.#o;
this.#p.add(number);
const start=()=>{
if(!this.#p.has(number))return;
let isOpen=false;
this.#i.set(number,{start:()=>(isOpen=true),isStream:true});
this.#v({event:"opens",with:{number}});
this.#i.delete(number);
if(isOpen)return open();
this.#p.delete(number);
refuse();
};
queueMicrotask(start);
return number;
}
#dz(){
const entries=globalThis.performance?.getEntriesByType?.("resource")??[];
const known=entries.filter(({name,nextHopProtocol})=>nextHopProtocol&&name.startsWith(`${this.#aa}/`));
return /^h[23]/.test(known.at(-1)?.nextHopProtocol??"");
}
withdraw(number){
this.#p.delete(number);
this.#i.delete(number);
this.#v({event:"withdrew",with:{number}});
}
tooSlow(number){
this.#p.delete(number);
this.#i.delete(number);
this.#v({event:"ended",with:{number,outcome:"timedOut"}});
}
ended(number,arrival){
this.#p.delete(number);
const{outcome,marks,rateLimit=null}=arrival;
const report={number,outcome,serverTime:marks.serverTime??null,rateLimit,resources:this.#co};
if(outcome==="content")report.revision=0;
if(outcome==="undecodable")report.reason=0;
if(outcome==="throttled")report.retryAfter=arrival.retryAfter;
this.#v({event:"ended",with:report});
}
asksForPause({retryAfter,serverTime}){
this.#v({event:"ended",with:{number:0,outcome:"throttled",retryAfter,serverTime,rateLimit:null,resources:this.#co}});
}
#v(event){
event.with.now??=this.#cn();
const{restraint,send,delayed}=this.#bj.handle(event);
if(JSON.stringify(restraint)!==JSON.stringify(this.#ac)){
this.#ac=restraint;
for(const resource of this.#ab)queueMicrotask(()=>this.#ab.has(resource)&&resource.restrain(this.#ac));
}
for(const{number,isHeld}of send)this.#ea(number,isHeld);
for(const number of delayed)this.#cq(number);
if(delayed.length>0)this.#v({event:"withdrew",with:{number:0}});
}
#ea(number,isHeld){
const{start,isStream}=this.#i.get(number)??{};
if(start===undefined)return;
if(isStream)return start();
queueMicrotask(()=>this.#i.delete(number)&&start(isHeld));
}
#cq(number){
const{delay}=this.#i.get(number)??{};
this.#i.delete(number);
this.#p.delete(number);
if(delay)queueMicrotask(delay);
}
}
function remembered(known,origin,create){
let gate=known.get(origin);
if(gate===undefined){
try{
gate=create(origin);
}catch(failure){
if(failure.code !=="tooManyMachines")throw failure;
const unused=[...known].filter(([,other])=>other.isUnused);
const [name,oldest]=unused.find(([,other])=>!other.isRestrained)??unused[0]??[];
if(oldest===undefined)return known.values().next().value;
known.delete(name);
oldest.destroy();
gate=create(origin);
}
}
known.delete(origin);
known.set(origin,gate);
return gate;
}
function originOf(address){
try{
return new URL(address,globalThis.location?.href).origin;
}catch{
return "";
}
}
return{OriginGate};
})();
const m_engine_sample_record=(()=>{
const{wireWord}=m_engine_marks;
const ORIGINS={catchUp:"catch_up"};
const OUTCOMES={serverError:"server_error",timedOut:"timed_out"};
function ageAtArrival({cacheAge,serverTime,fetchedAt,transit}){
if(cacheAge !==null)return Math.max(cacheAge,0)+ transit;
if(serverTime===null||fetchedAt===null)return null;
return Math.max(serverTime - fetchedAt,0)+ transit;
}
function statusOf({status,appliedFlag,reason}){
return status??(appliedFlag===true?"applied":reason);
}
function sampleRecord(sample,resource,origin,evidence={}){
const{marks,context}=sample;
return{
resource,
context:`${context.question}.${context.identity}`,
generation:sample.generation,
origin:ORIGINS[evidence.origin]??evidence.origin??null,
asked:evidence.asked??null,
answered:evidence.answered??null,
requestId:evidence.requestId??null,
entityTag:evidence.entityTag??null,
receipt:evidence.receipt??null,
digest:evidence.digest??null,
startedAt:Math.round(origin + sample.startedAt),
endedAt:Math.round(origin + sample.endedAt),
durationMs:sample.duration,
status:sample.status,
outcome:OUTCOMES[sample.outcome]??sample.outcome,
verdict:sample.verdict,
serverTime:marks.serverTime,
rtFetchedAt:marks.fetchedAt,
rtCacheAgeMs:marks.cacheAge,
ageMs:ageAtArrival(marks),
responseMode:wireWord(marks.mode),
rtStatus:wireWord(statusOf(marks)),
skewMs:sample.skew,
bytes:sample.bytes,
conditional:sample.isConditional,
changed:sample.isChange,
changeToScreenMs:sample.changeToScreen,
cadenceMs:sample.cadence,
};
}
function recordLine(record){
const known=Object.entries(record).filter(([,value])=>value !==null);
return JSON.stringify(Object.fromEntries(known));
}
return{ageAtArrival,sampleRecord,recordLine};
})();
const m_engine_live_resource=(()=>{
const{ask}=m_engine_arrival;
const{Engine}=m_engine_freshness;
const{OriginGate}=m_engine_origin_gate;
const{sampleRecord}=m_engine_sample_record;
const MOST_RECORDS=2000;
const MOST_RECEIPTS=64;
const LONGEST_TIMER_MS=2 ** 31 - 1;
const LATEST_TIMER_MS=2000;
class LiveResource{
#d=null;
#cr=null;
#w=null;
#cs=null;
#l=null;
#ad={question:0};
#e=null;
#ae=null;
#x=null;
#bk=0;
#bl=0;
#t=null;
#f=null;
#bm=null;
#o=0;
#z=-Infinity;
#af=null;
#bn=[];
#aq=[];
#bo=new Map();
#ct=[];
#ar=new Map();
#ag=false;
#an=false;
#ao=false;
constructor(source,{engine,policy,clientPolicy=policy,device,onChange,onArrival=()=>{},onConfirmed=()=>{},send,timers=globalThis,mostRecords=MOST_RECORDS}){
this.source=source;
this.engine=engine;
this.wished=policy;
this.clientPolicy=clientPolicy;
this.policy=engine.policy(policy);
this.device=device;
this.onChange=onChange;
this.onArrival=onArrival;
this.onConfirmed=onConfirmed;
this.send=send;
this.timers=timers;
this.mostRecords=mostRecords;
this.origin=Date.now()- this.now();
}
now(){
return(this.#z=Math.max(this.#z,this.device.now()));
}
watch(question){
if(this.#an||(this.#l !==null&&this.source.isSame(question,this.#l)))return;
this.#l=question;
this.#af=null;
if(!this.#d)return this.#eb();
this.#ad={question:this.#ad.question + 1};
const hadStream=this.#ae !==null||this.#x !==null;
this.#as();
[this.#bk,this.#bl]=[0,0];
this.#a({event:"contextChanged",with:this.#ad});
if(hadStream)this.#a({event:"linkLost"});
}
pause(){
if(!this.#ah)return;
[this.#ag,this.#ao]=[false,false];
this.#a({event:"stopped"});
}
resume(){
if(!this.#ah)return;
this.#ao=true;
this.#a({event:"started"});
}
acted(){
this.#ah&&this.#a({event:"acted"});
}
invalidate(){
if(!this.#ah)return;
this.#ag=this.#e !==null&&!this.#e.isHeld;
this.acted();
if(!this.#ag)this.#a({event:"wished",with:{wish:"change"}});
}
stop(){
const machine=this.#d;
if(!machine||this.#an)return;
[this.#an,this.#ao]=[true,false];
this.#a({event:"stopped"});
this.#cr();
this.#as();
this.#cs();
this.timers.clearTimeout(this.#t);
machine.destroy();
[this.#d,this.#l,this.#f,this.#af]=[null,null,null,null];
this.#an=false;
}
refresh({isForced=false}={}){
if(!this.#ah)return;
this.#a({event:"wished",with:{wish:isForced?"hardRefresh":"person"}});
if(this.#e)this.#w.hurry(this.#e.number);
}
restrain(restraint){
this.#ah&&this.#a({event:"restrained",with:restraint});
}
get isRunning(){
return this.#ao;
}
get #ah(){
return this.#d !==null&&!this.#an;
}
get question(){
return this.#l;
}
get outstanding(){
return this.#e?.generation??null;
}
get body(){
return this.#f?.body??null;
}
look(){
return this.#d?.look(this.now())??null;
}
get failure(){
return this.#af;
}
diagnostics(){
if(!this.#d)return null;
return{
ring:this.#bn,
records:this.#aq,
counters:this.#d.counters(),
policy:this.policy,
look:this.look(),
notes:this.#ct,
now:this.now(),
};
}
#eb(){
this.#w=OriginGate.of(this.engine,this.source.address(this.#l,null),this.clientPolicy,()=>this.device.now());
this.#d=this.engine.machine({policy:this.wished,context:this.#ad});
this.#cr=this.device.listen((event)=>this.#a(event));
this.#cs=this.#w.join(this);
this.#ao=true;
this.#a({event:"started"});
}
#a(event,now=this.now()){
this.#ec(event,now);
const effects=this.#d.handle(event,now,Engine.draw());
if(effects.notes.length>0)this.#ct=effects.notes;
this.#ed(effects.alarm,now);
if(effects.cancel !==null&&this.#e?.generation===effects.cancel){
this.#e.abort.abort();
const{gate,number,sentAt,timeout}=this.#e;
this.#e=null;
const isTooSlow=effects.notes.includes("timedOut")&&sentAt !==null&&now - sentAt<timeout + LATEST_TIMER_MS;
if(isTooSlow)gate.tooSlow(number);
else gate.withdraw(number);
}
if(effects.sample)this.#ee(effects.sample);
this.#ef(effects,now);
const isAnswered=effects.sample?.outcome==="content"||effects.sample?.outcome==="unchanged";
if(effects.asOf !==null)this.onConfirmed(effects.asOf,isAnswered?effects.sample.generation:null);
if(effects.request)this.#eg(effects.request,now);
if(effects.link==="open")this.#eh();
if(effects.link==="close")this.#as();
if(effects.changes.length>0||effects.snapshot !=="none")this.onChange(this);
return effects;
}
#ec({event},now){
const flight=this.#e;
if(event==="queued"||flight===null||flight.sentAt !==null||now<flight.deadline||flight.gate.isFailing)return;
this.#cu(flight,now);
}
#cu(flight,now){
flight.deadline=now + flight.timeout;
const{generation,context}=flight;
this.#a({event:"queued",with:{generation,context}},now);
}
#ed(alarm,now){
this.timers.clearTimeout(this.#t);
if(alarm===null)return;
const wait=Math.min(Math.max(0,alarm - now),LONGEST_TIMER_MS);
this.#t=this.timers.setTimeout(()=>this.#a({event:"woke"}),wait);
}
#ef(effects,now){
const look=this.#d.look(now);
const incoming=this.#bm;
this.#bm=null;
if(incoming&&look.revision===incoming.revision&&effects.snapshot !=="hold"){
const isValid=look.validator !==null&&look.validator===incoming.validator;
this.#f={...incoming,tag:isValid?incoming.tag:null};
}
if(look.revision===null)this.#f=null;
if(effects.notes.includes("timedOut"))this.#af={problem:null,reason:null};
}
get #cv(){
return `GET ${nameOf(this.source.address(this.#l,null))}`;
}
#ei(generation){
const before=/;m=([0-9a-f]{16})[0-9a-f]{48}$/.exec(this.#ar.get(this.#cv)??"");
return before?{"X-MD-Receipt-After":`${generation};${before[1]}`}:{};
}
#ee(sample){
const evidence=this.#bo.get(sample.generation);
this.#bo.clear();
const record=sampleRecord(sample,this.#cv,this.origin,evidence);
if(evidence?.receipt)this.#ar.set(record.resource,evidence.receipt);
if(this.#ar.size>MOST_RECEIPTS)this.#ar.clear();
const capacity=this.policy.ringCapacity;
this.#bn=[...this.#bn,record].slice(-capacity);
this.#aq.push(record);
if(this.#aq.length>this.mostRecords)this.#aq.shift();
}
#eg(request,orderedAt){
const [machine,gate]=[this.#d,this.#w];
const{generation,context,timeout,longPoll}=request;
const flight={generation,context,gate,abort:new AbortController(),number:0,isHeld:longPoll !==null,sentAt:null,timeout,deadline:orderedAt + timeout};
flight.number=gate.ask(request,(isHeld)=>{
if(this.#d !==machine)return gate.withdraw(flight.number);
if(flight.abort.signal.aborted)return;
const now=this.now();
if(now>orderedAt)this.#cu(flight,now);
if(longPoll !==null&&!isHeld&&!flight.abort.signal.aborted){
[request.longPoll,flight.isHeld,flight.timeout]=[null,false,timeout - longPoll];
this.#a({event:"notHeld",with:{generation,context}},now);
}
if(flight.abort.signal.aborted)return;
flight.sentAt=now;
this.#c(request,flight);
},()=>{
if(this.#d !==machine||this.#e !==flight)return;
this.#e=null;
this.#ag=false;
this.#a({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
});
this.#e=flight;
}
async #c(request,{abort,gate,number}){
const machine=this.#d;
const why={origin:request.origin??null,asked:this.source.subjectOf(this.#l)};
const isKnown=request.validator !==null&&this.#f?.validator===request.validator;
const base=isKnown&&this.#f.tag !==null?this.#f:null;
const arrival=await ask(()=>this.source.address(this.#l,base),{
tag:base?.tag??null,
fields:()=>({...this.source.fields(),...this.#ei(request.generation)}),
read:(document,headers)=>this.source.read(document,headers,base,this.#f),
ownsTime:this.source.ownsTime?.(this.#f?.body)??false,
wait:request.longPoll===null?null:Math.floor(request.longPoll / 1000),
signal:abort.signal,
now:()=>this.now(),
send:this.send,
});
if(!abort.signal.aborted&&arrival.isSent)gate.ended(number,arrival);
else if(!abort.signal.aborted)gate.withdraw(number);
if(this.#d !==machine)return;
if(this.#e?.generation===request.generation)this.#e=null;
const{generation,context}=request;
if(arrival.isOfAnotherCopy){
this.#a({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
const wish={origin:"change",isUnconditional:true};
return this.#a({event:"wished",with:wish});
}
this.#bo.set(generation,{...why,...arrival.evidence});
const isCurrent=context.question===this.#ad.question;
if(isCurrent&&arrival.outcome !=="cancelled"){
this.#af={problem:arrival.problem,reason:arrival.reason??null};
this.onArrival(arrival);
}
this.#cw("answered",{generation,context},this.#cx(arrival,isCurrent),arrival.answeredAt);
if(!this.#ag||this.#e !==null)return;
this.#ag=false;
if(this.#d===machine)this.#a({event:"wished",with:{wish:"change"}});
}
#cw(event,values,answer,arrivedAt){
const now=this.now();
answer.decoding=Math.max(0,Math.round(now - arrivedAt));
this.#a({event,with:{...values,answer}},now);
}
#cx(arrival,isCurrent){
try{
return this.#cy(arrival,isCurrent);
}catch(failure){
this.#af={problem:null,reason:String(failure?.message??failure).slice(0,200)};
return this.#cy({...arrival,outcome:"undecodable"},isCurrent);
}
}
#cy(arrival,isCurrent){
const answer={
outcome:arrival.outcome,status:arrival.status,bytes:arrival.bytes,hints:arrival.hints,
marks:{...arrival.marks,...this.source.marks},deviceTime:Date.now(),
};
if(arrival.answeredAt !==undefined)answer.delay=Math.max(0,Math.round(arrival.answeredAt - arrival.askedAt));
this.#o +=1;
if(arrival.outcome==="content"){
const isSame=isCurrent&&this.#f !==null&&this.#ej(arrival.body);
const incoming={
body:arrival.body,
tag:arrival.tag,
revision:isSame?this.#f.revision:this.#o,
validator:arrival.tag===null?null:this.#o,
};
if(isCurrent)this.#bm=incoming;
answer.revision=incoming.revision;
answer.validator=incoming.validator;
Object.assign(answer,this.source.natureOf(arrival.body));
}
if(arrival.outcome==="throttled")answer.retryAfter=arrival.retryAfter;
if(arrival.outcome==="undecodable")answer.reason=this.#o;
return answer;
}
#ej(body){
try{
return this.source.contentOf(this.#f.body)===this.source.contentOf(body);
}catch{
return false;
}
}
#eh(){
this.#as();
if(this.source.occupiesNoConnection)return this.#cz();
const place={number:null};
place.number=this.#w.stream(
()=>this.#x===place&&this.#cz(),
()=>{
if(this.#x !==place)return;
this.#x=null;
this.#a({event:"linkLost"});
},
);
this.#x=place;
}
#cz(){
try{
this.#ae=this.#ek();
}catch{
this.#bp();
this.#a({event:"linkLost"});
}
}
#ek(){
let heardAt=this.now();
const stream=this.source.openStream(this.#l,this.#f,{
opened:(isResumed)=>this.#a({event:"linkOpened",with:{isResumed}}),
heard:()=>{
heardAt=this.now();
this.#a({event:"linkHeard"},heardAt);
},
gap:()=>this.#a({event:"linkGap"}),
delivered:(arrival)=>this.#el(arrival,heardAt),
current:()=>this.#f?.body??null,
lost:(pause)=>this.#em(stream,pause),
retry:(ms)=>(this.#bk=ms),
wait:Math.max(0,this.#bl - this.now()),
});
return stream;
}
#el(arrival,heardAt){
this.onArrival({...arrival,askedAt:heardAt,answeredAt:heardAt});
this.#cw("linkDelivered",{context:this.#ad},this.#cx(arrival,true),heardAt);
}
#em(stream,pause=null){
if(this.#ae !==stream)return;
if(pause !==null)this.#w.asksForPause(pause);
this.#ae=null;
this.#bp();
this.#bl=this.now()+ this.#bk;
this.#a({event:"linkLost"});
}
#as(){
const stream=this.#ae;
this.#ae=null;
stream?.close();
this.#bp();
}
#bp(){
const place=this.#x;
this.#x=null;
if(place !==null&&place.number !==null)this.#w.withdraw(place.number);
}
}
function nameOf(address){
try{
const{host,pathname,search}=new URL(address,globalThis.location?.href);
return `${host}${pathname}${search}`;
}catch{
return address;
}
}
return{LiveResource};
})();
const m_engine_next_question=(()=>{
const RULES={
unwatched:"R5",offline:"R24",paused:"R11",outstanding:"R6",cadence:"R10",stated:"R31",learned:"R31",origin:"R39",patience:"R40",longPoll:"R32",
safetyPoll:"R33",retry:"R7",backoff:"R23",degraded:"R34",recheck:"R21",retryAfter:"R21",spread:"R14",reconnect:"R24",news:"R33",
};
function nextQuestion({look,now}){
const wait=look.nextDue===null?null:Math.max(0,look.nextDue - now);
return{wait,cause:look.nextCause,rule:RULES[look.nextCause]};
}
return{nextQuestion};
})();
const m_worktrees_notices=(()=>{
const{element,setText}=m_shared_dom;
const{memory}=m_shared_memory;
const KEPT="notices";
const LONGEST=200;
class Notices{
#ai=element("notify");
#bq=false;
constructor(page,onChosen){
this.page=page;
this.onChosen=onChosen;
this.#ai.closest("label").hidden=!("Notification" in globalThis);
this.#ai.checked=this.isOn;
this.#ai.addEventListener("change",()=>this.#at(this.#ai.checked));
}
get isOn(){
return memory.read(KEPT)===true&&globalThis.Notification?.permission==="granted";
}
speak(){
setText(element("notify-note"),this.#bq?this.page.say("notifyRefused"):"");
}
async #at(isWished){
const answer=isWished?await Notification.requestPermission():null;
this.#bq=isWished&&answer !=="granted";
memory.write(KEPT,isWished&&!this.#bq?true:null);
this.#ai.checked=this.isOn;
this.speak();
}
tell({id,title,text}){
if(!this.isOn||document.hasFocus())return;
try{
const notice=new Notification(title,{body:text.slice(0,LONGEST),tag:id,icon:"/assets/icon.e5fa32996108.svg"});
notice.addEventListener("click",()=>{
focus();
notice.close();
this.onChosen(id);
});
}catch{
this.#ai.checked=false;
}
}
}
return{Notices};
})();
const m_worktrees_omission_list=(()=>{
const{newElement}=m_shared_dom;
class OmissionList{
#da=false;
constructor(page,parts){
this.page=page;
this.parts=parts;
parts.omissions.addEventListener("toggle",()=>this.list());
}
show(isEmpty){
this.parts.omissions.hidden=false;
if(!isEmpty||this.#da)return;
this.#da=true;
this.parts.omissions.open=true;
}
async list(){
const{page,parts}=this;
if(!parts.omissions.open)return;
let found=[];
let note="";
try{
const answer=await page.api.omissions();
found=Array.isArray(answer)?answer.filter((one)=>typeof one?.path==="string"):[];
if(found.length===0)note=page.say("noOmissions");
}catch(failure){
note=page.refusalInWords(failure).join(" ");
}
parts.omissionsnote.textContent=note;
parts.omitted.replaceChildren(...found.map((one)=>{
const item=newElement("li","");
item.dataset.reason=one.reason;
const text=newElement("span","",this.#en(one));
if(typeof one.detail==="string")text.title=one.detail;
item.append(text);
return item;
}));
}
#en({reason,path,detail}){
const known=`omission-${reason}`;
const sentence=this.page.say(known,{path});
return sentence===known?detail??path:sentence;
}
}
return{OmissionList};
})();
const m_worktrees_restore_list=(()=>{
const{newElement}=m_shared_dom;
class RestoreList{
#u=null;
constructor(page,parts){
this.page=page;
this.parts=parts;
parts.undo.addEventListener("click",()=>this.#db(this.#u));
parts.restores.addEventListener("toggle",()=>this.#m());
}
offer(point){
this.#u=point??null;
this.parts.undoline.hidden=!point;
this.#m();
}
async #db(point){
const{page}=this;
if(!point)return;
try{
const answer=await page.api.restore(point.id);
page.done(page.say(`restored-${point.kind}`,{name:point.branch??point.path,path:point.path}),answer?.restore);
}catch(failure){
page.done([...page.refusalInWords(failure),failure?.detail].filter(Boolean).join(" "));
}
}
async #m(){
const{page,parts}=this;
if(!parts.restores.open)return;
let points=[];
let note="";
try{
points=await page.api.restorePoints();
if(points.length===0)note=page.say("noRestores");
}catch(failure){
note=page.refusalInWords(failure).join(" ");
}
parts.restoresnote.textContent=note;
parts.points.replaceChildren(...points.map((point)=>{
const item=newElement("li","");
const time=(text)=>new Date(text).toLocaleString(page.locale,{dateStyle:"medium",timeStyle:"short"});
const what=page.say(`point-${point.kind}`,{name:point.branch??point.path,path:point.path});
const until=page.say("keptUntil",{time:time(point.kept_until)});
const button=newElement("button","tool",page.say("undo"));
button.type="button";
button.dataset.restore=point.id;
button.addEventListener("click",()=>this.#db(point));
item.append(newElement("span","",`${time(point.created_at)}: ${what} ${until}`),button);
return item;
}));
}
}
return{RestoreList};
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
const m_shared_token_form=(()=>{
const{element,setText}=m_shared_dom;
const{visitMemory}=m_shared_visit_memory;
class TokenForm{
#au=element("token-form");
#av=element("token");
#aj;
constructor(name,onToken){
this.name=name;
const kept=visitMemory.read(name);
this.#aj=typeof kept==="string"?kept:null;
this.#au.addEventListener("submit",(event)=>{
event.preventDefault();
const token=this.#av.value.trim();
if(!token)return this.#av.focus();
this.#aj=token;
visitMemory.write(name,token);
this.#av.value="";
this.hide();
onToken();
});
}
get fields(){
return this.#aj&&/^[\x21-\x7e]+$/.test(this.#aj)?{Authorization:`Bearer ${this.#aj}`}:{};
}
get isShown(){
return !this.#au.hidden;
}
ask(say){
setText(element("token-refused"),this.#aj?say("tokenRefused"):"");
if(this.isShown)return;
this.#au.hidden=false;
if(document.activeElement===document.body)this.#av.focus();
}
hide(){
this.#au.hidden=true;
}
}
return{TokenForm};
})();
const m_shared_announcer=(()=>{
const{element,setText}=m_shared_dom;
const LEAST_GAP_MS=20_000;
class Announcer{
#dc=-LEAST_GAP_MS;
#eo=element("announcement");
say(sentence,{now,urgent=false}){
if(!sentence||(!urgent&&now - this.#dc<LEAST_GAP_MS))return false;
this.#dc=now;
setText(this.#eo,sentence);
return true;
}
}
return{Announcer};
})();
const m_engine_clock=(()=>{
const SLEPT_FROM_MS=5000;
class SteadyClock{
#dd=performance.now();
#de=Date.now();
now(){
return performance.now();
}
notice(){
const [steady,wall]=[performance.now(),Date.now()];
const gap=wall - this.#de -(steady - this.#dd);
[this.#dd,this.#de]=[steady,wall];
return gap>=SLEPT_FROM_MS;
}
}
const steadyClock=new SteadyClock();
class ServerClock{
#r=Date.now()- steadyClock.now();
#df=false;
learn(serverTime,{askedAt,answeredAt}){
if(serverTime===null)return;
const middle=(askedAt + answeredAt)/ 2;
const believed=middle + this.#r;
const isWithin=this.#df&&serverTime % 1000===0&&believed>=serverTime&&believed<serverTime + 1000;
if(!isWithin)this.#r=serverTime - middle;
this.#df=true;
}
learnFrom(arrival){
if(arrival.outcome==="content"||arrival.outcome==="unchanged")this.learn(arrival.marks.serverTime??null,arrival);
}
now(){
return steadyClock.now()+ this.#r;
}
at(steady){
return steady + this.#r;
}
}
function everySecond(clock,tick){
setTimeout(()=>everySecond(clock,tick),1000 -(clock().now()% 1000)+ 5);
tick();
}
return{steadyClock,ServerClock,everySecond};
})();
const m_engine_device=(()=>{
const{steadyClock}=m_engine_clock;
class Device{
#br=new Set();
#aw=null;
#ax=null;
#dg=new AbortController();
constructor(){
this.#ay();
if(typeof document==="undefined")return;
const{signal}=this.#dg;
const hears=(target,name,heard)=>target?.addEventListener?.(name,heard,{signal});
hears(document,"visibilitychange",()=>this.#ay());
hears(document,"freeze",()=>this.#bs("suspended"));
hears(document,"resume",()=>this.#ay());
hears(globalThis,"pagehide",()=>this.#bs("suspended"));
hears(globalThis,"pageshow",()=>this.#ay());
hears(globalThis,"focus",()=>this.#a({event:"focused"}));
for(const name of ["online","offline"])hears(globalThis,name,()=>this.#bt());
hears(globalThis.navigator?.connection,"change",()=>this.#bt());
}
close(){
this.#dg.abort();
}
now(){
return steadyClock.now();
}
get lifecycle(){
return this.#aw;
}
get connectivity(){
return this.#ax;
}
listen(listener){
listener({event:"lifecycle",with:{to:this.#aw}});
listener({event:"connectivity",with:{to:this.#ax}});
this.#br.add(listener);
return()=>this.#br.delete(listener);
}
tick(){
if(steadyClock.notice())this.#a({event:"slept"});
}
#ay(){
this.#bs(globalThis.document?.hidden?"background":"foreground");
this.#bt();
}
#bs(to){
if(this.#aw===to)return;
this.#aw=to;
this.#a({event:"lifecycle",with:{to}});
}
#bt(){
const{onLine,connection}=globalThis.navigator??{};
const to=onLine===false?"offline":connection?.saveData?"metered":"online";
if(this.#ax===to)return;
this.#ax=to;
this.#a({event:"connectivity",with:{to}});
}
#a(event){
for(const listener of this.#br)listener(event);
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
#dh;
#di=null;
constructor({modules,language,messages}){
this.#dh=modules;
this.language=language;
this.messages=messages;
this.device=new Device();
this.clock=new ServerClock();
this.announcer=new Announcer();
const theme=new URLSearchParams(location.search).get("theme");
this.theme=THEMES.includes(theme)?theme:memory.read("theme")??"auto";
this.say=sentences(language,messages);
for(const id of ["settings","help"])makeDialog(element(id));
element("language").addEventListener("change",(event)=>this.#ep(event.target.value));
element("theme").addEventListener("change",(event)=>this.#at("theme","theme",event.target.value));
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
async #ep(language){
this.#di=language;
const messages=await loadMessages(this.#dh,language).catch(()=>null);
if(this.#di !==language)return;
if(!messages)return void(element("language").value=this.language);
this.messages=messages;
this.#at("language","lang",language);
}
#at(name,parameter,value){
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
const m_worktrees_workspace_list=(()=>{
const VOLATILE=["git_age_seconds","activity_age_seconds","revision"];
const URGENCY=["needs_you","done_unseen","working","idle","unknown","ended"];
const byPath=(one,other)=>(one.path<other.path?-1:one.path>other.path?1:0);
function list(revision,worktrees){
return{revision,worktrees:[...worktrees].sort(byPath)};
}
function placeOf(revision){
const cut=revision.lastIndexOf("-");
return{generation:revision.slice(0,cut),number:Number(revision.slice(cut + 1))};
}
function isOfOneGeneration(one,other){
return placeOf(one).generation===placeOf(other).generation;
}
function isLater(one,other){
return isOfOneGeneration(one,other)&&placeOf(one).number>placeOf(other).number;
}
function afterAnswer(answer,known){
if(typeof answer?.revision !=="string"||!Array.isArray(answer.changed))return null;
if(!answer.changed.every(isWorktree))return null;
if(answer.full===true)return list(answer.revision,answer.changed);
if(!known)return null;
const gone=new Set([...answer.changed.map(({id})=>id),...(answer.removed??[])]);
return list(answer.revision,[...known.worktrees.filter(({id})=>!gone.has(id)),...answer.changed]);
}
function afterEvent({type,payload},id,known){
if(type==="snapshot"){
const isWhole=typeof payload?.revision==="string"&&Array.isArray(payload.worktrees)&&payload.worktrees.every(isWorktree);
return isWhole?list(payload.revision,payload.worktrees):null;
}
if(!["worktree:created","worktree:updated","worktree:deleted"].includes(type))return known;
if(!known||!id||!isOfOneGeneration(id,known.revision))return null;
const others=(gone)=>known.worktrees.filter((worktree)=>worktree.id !==gone);
if(type==="worktree:deleted")return list(id,others(payload?.worktree_id));
if(type==="worktree:created")return isWorktree(payload?.worktree)?list(id,[...others(payload.worktree.id),payload.worktree]):null;
const before=known.worktrees.find((worktree)=>worktree.id===payload?.worktree_id);
return before?list(id,[...others(before.id),merged(before,payload.updates??{})]):null;
}
function merged(before,updates){
const after={...before,...updates};
for(const [name,value] of Object.entries(updates))if(value===null)delete after[name];
return after;
}
function isWorktree(value){
return typeof value?.id==="string"&&typeof value.path==="string";
}
function contentOf({worktrees}){
return JSON.stringify(worktrees.map((worktree)=>Object.keys(worktree).filter((name)=>!VOLATILE.includes(name)).sort().map((name)=>[name,worktree[name]])));
}
function stateOf(worktree){
return worktree.activity?.state??"unknown";
}
function inOrder(worktrees){
const rank=(worktree)=>(URGENCY.indexOf(stateOf(worktree))+ URGENCY.length + 1)%(URGENCY.length + 1);
return [...worktrees].sort((one,other)=>rank(one)- rank(other)||byPath(one,other));
}
function countOf(worktrees,state){
return worktrees.filter((worktree)=>stateOf(worktree)===state).length;
}
return{isOfOneGeneration,isLater,afterAnswer,afterEvent,contentOf,stateOf,inOrder,countOf};
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
#bu="";
#az=[];
#aa="";
#bv=0;
#dj=null;
feed(text){
const events=[];
let rest=this.#bu + text;
const held=rest.endsWith("\r")?"\r":"";
if(held)rest=rest.slice(0,-1);
const lines=rest.split(/\r\n|\n|\r/);
this.#bu=lines.pop()+ held;
for(const line of lines)this.#eq(line,events);
if(this.#bv + this.#bu.length>LONGEST_EVENT)throw new RangeError("the event is too long");
return events;
}
#eq(line,events){
if(line==="")return this.#er(events);
if(line.startsWith(":"))return;
const colon=line.indexOf(":");
const field=colon<0?line:line.slice(0,colon);
const value=colon<0?"":line.slice(colon + 1).replace(/^ /,"");
if(field==="data")this.#az.push(value);
if(field==="event")this.#aa=value;
if(field==="retry"&&/^[0-9]+$/.test(value))this.retry=Math.min(Number(value),LONGEST_RETRY_MS);
if(field==="id"&&!value.includes("\0"))this.#dj=value;
this.#bv +=line.length;
}
#er(events){
if(this.#az.length>0)events.push({name:this.#aa||"message",id:this.#dj,data:this.#az.join("\n")});
[this.#az,this.#aa,this.#bv]=[[],"",0];
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
const m_engine_resource_stream=(()=>{
class ResourceStream{
#bw=new AbortController();
constructor(listener){
this.listener=listener;
}
async run(read,address,options={}){
const tell=(act)=>this.#bw.signal.aborted||act();
const lastId=options.lastId??null;
let pause=null;
try{
await read(address,{
...options,
lastId,
signal:this.#bw.signal,
wait:this.listener.wait,
onRetry:(ms)=>tell(()=>this.listener.retry(ms)),
onOpen:()=>tell(()=>this.listener.opened(lastId !==null)),
onLife:()=>tell(()=>this.listener.heard()),
onEvent:(event)=>tell(()=>this.take(event)),
});
}catch(failure){
pause=failure?.pause??null;
}
tell(()=>this.listener.lost(pause));
this.close();
}
take(event){}
deliver(outcome,{body=null,tag=null,bytes,marks={},hints={}}){
this.listener.delivered({outcome,status:200,body,tag,bytes,marks,hints});
}
close(){
this.#bw.abort();
}
}
return{ResourceStream};
})();
const m_worktrees_workspace_stream=(()=>{
const{readEventStream}=m_engine_event_stream;
const{ResourceStream}=m_engine_resource_stream;
const{afterEvent}=m_worktrees_workspace_list;
const ADDRESS="/v1/events";
const tagOf=(revision)=>`"${revision}"`;
class WorkspaceStream extends ResourceStream{
#s;
constructor(copy,fields,listener){
super(listener);
this.#s=copy?.body??null;
this.run(readEventStream,ADDRESS,{lastId:this.#s?.revision??null,fields});
}
take({id,data}){
const message=JSON.parse(data);
const event=message.event??{};
const marks={serverTime:Number.isFinite(message.timestamp)?Math.trunc(message.timestamp):null};
if(event.type==="reset"){
this.#s=null;
}else if(event.type==="heartbeat"){
if(this.#s&&message.id===this.#s.revision)this.deliver("unchanged",{bytes:data.length,marks});
}else{
const body=afterEvent(event,id,this.#s);
if(body===null)return this.listener.gap();
if(body===this.#s)return;
this.#s=body;
this.deliver("content",{body,tag:tagOf(body.revision),bytes:data.length,marks});
}
}
}
return{tagOf,WorkspaceStream};
})();
const m_worktrees_workspace_source=(()=>{
const{afterAnswer,contentOf,isLater,stateOf}=m_worktrees_workspace_list;
const{tagOf,WorkspaceStream}=m_worktrees_workspace_stream;
function workspaceSource(fields){
return{
isSame:()=>true,
address:(_,copy)=>`/v1/git/worktrees?since=${copy?encodeURIComponent(copy.body.revision):"0"}`,
read:(document,headers,base,newest)=>{
const body=afterAnswer(document,base?.body);
if(body===null)return null;
if(newest&&isLater(newest.body.revision,body.revision))return{body:newest.body,tag:newest.tag??tagOf(newest.body.revision)};
return{body,tag:headers.get("etag")??tagOf(body.revision)};
},
openStream:(_,copy,listener)=>new WorkspaceStream(copy,fields(),listener),
contentOf,
natureOf:({worktrees})=>({
hasRealtime:true,
activity:worktrees.some((worktree)=>stateOf(worktree)==="working")?"active":"quiet",
}),
subjectOf:()=>null,
fields,
marks:{status:"applied"},
};
}
return{workspaceSource};
})();
const m_worktrees_worktree_card=(()=>{
const{reasonInWords}=m_worktrees_agent_reason;
const{fromTemplate,newElement,part,partsOf,setAttribute,setSign,setText,shown}=m_shared_dom;
const{duration}=m_shared_moments;
const{stateOf}=m_worktrees_workspace_list;
const SIGNS={working:"live",needs_you:"reduced",done_unseen:"done",idle:"timetable",ended:"failing",unknown:"loading"};
const LONGEST_WORDS=1200;
const MOST_FILES=20;
const AGENTS={"claude-code":"Claude Code",codex:"Codex"};
const DAY=86_400;
const SOURCES={claude_log:"source-log",codex_log:"source-log",neutral_log:"source-log",claude_registry:"source-registry",process:"source-process"};
class WorktreeCard{
#ak={words:null,todos:null,agents:null};
constructor(acts){
this.root=fromTemplate("card-template");
this.parts=partsOf(this.root);
this.root.addEventListener("click",(event)=>{
const act=event.target.closest("button[data-act]")?.dataset.act;
if(act)acts[act](this);
});
}
get name(){
return titleOf(this.worktree);
}
show(worktree,say){
this.worktree=worktree;
const{parts}=this;
const state=stateOf(worktree);
setAttribute(this.root,"data-state",state in SIGNS?state:"unknown");
setAttribute(this.root,"data-id",worktree.id);
setSign(parts.sign,SIGNS[state]??SIGNS.unknown);
setText(parts.stateword,state in SIGNS?say(`state-${state}`):state);
setText(parts.title,this.name);
setText(parts.branch,worktree.git?.branch??(worktree.branch||say("detached")));
setText(parts.path,worktree.path);
const reason=worktree.activity?.reason;
parts.reason.hidden=!reason;
setText(parts.reason,reasonInWords(reason,say));
this.#es(worktree.activity??{},say);
this.#et(worktree,say);
this.#eu(worktree.todos??[],say);
this.#ev(worktree,say);
for(const button of this.root.querySelectorAll("button[data-act]"))setText(button,say(button.dataset.act));
part(this.root,"seen").hidden=state !=="done_unseen";
for(const name of ["merge","sync"])parts[name].hidden=worktree.is_main===true;
parts.remove.hidden=worktree.is_main===true;
parts.trust.hidden=!worktree.git?.trust;
if(isTrusted(worktree))setText(parts.trust,say("distrust"));
setAttribute(parts.buttons,"aria-label",say("actionsOf",{name:this.name}));
}
tick(now,say,locale){
for(const node of [this.parts.since,...this.parts.agents.querySelectorAll("time")]){
const since=Date.parse(node.dateTime);
setText(node,Number.isNaN(since)?"":say("sinceAge",{age:spanOf((now - since)/ 1000,locale)}));
setAttribute(node,"title",Number.isNaN(since)?null:new Date(since).toLocaleString(locale));
}
}
#es({agents=[],confidence,state,since,source},say){
const{who,agents:list}=this.parts;
setAttribute(this.parts.since,"datetime",since??"");
const one=agents.length===1?[agentName(agents[0]),agents[0].tool]:[];
const isGuess=confidence==="low"&&state !=="unknown";
setText(who,[...one,isGuess&&say("guessed")].filter(Boolean).join(" · "));
setAttribute(who,"title",source&&source !=="none"?say("knownFrom",{source:SOURCES[source]?say(SOURCES[source]):source}):null);
list.hidden=agents.length<2;
const written=JSON.stringify([agents,say("guessed")]);
if(this.#ak.agents===written)return;
this.#ak.agents=written;
list.replaceChildren(...(agents.length<2?[]:agents).map((agent)=>{
const item=newElement("li","");
const time=newElement("time","soft");
time.dateTime=agent.since??"";
const known=agent.state in SIGNS?say(`state-${agent.state}`):agent.state;
item.append(newElement("strong","",agentName(agent)),shown(` ${[known,agent.tool].filter(Boolean).join(" · ")} `),time);
if(agent.reason)item.append(newElement("span","agent-reason",reasonInWords(agent.reason,say)));
return item;
}));
}
#et({latest_user_prompt:prompt,latest_claude_message:message},say){
const entries=[["prompt",prompt],["message",message]].filter(([,text])=>text);
const written=JSON.stringify([entries,say("prompt")]);
this.parts.words.hidden=entries.length===0;
if(this.#ak.words===written)return;
this.#ak.words=written;
this.parts.words.replaceChildren(...entries.flatMap(([name,text])=>[newElement("dt","",say(name)),newElement("dd","",cut(text))]));
}
#eu(list,say){
const todos=list.map((todo)=>({...todo,status:todo.originalStatus??todo.status}));
const{todos:root,todolist,todocount,todonow}=this.parts;
root.hidden=todos.length===0;
const done=todos.filter(({status})=>status==="completed").length;
setText(todocount,say("todosDone",{count:done,total:todos.length}));
setText(todonow,todos.filter(({status})=>status==="in_progress").map(({content})=>content).join(", "));
const written=JSON.stringify([todos,say("todosDone")]);
if(this.#ak.todos===written)return;
this.#ak.todos=written;
todolist.replaceChildren(...todos.map(({content,status})=>{
const item=newElement("li","todo");
const known=["pending","in_progress","completed","cancelled"].includes(status);
item.dataset.status=known?status:"pending";
item.append(newElement("span","unseen",`${known?say(`todo-${status}`):status}: `),newElement("span","",content??""));
return item;
}));
}
#ev(worktree,say){
const marks=gitMarks(worktree,say);
const written=JSON.stringify(marks);
if(this.parts.git.dataset.written !==written){
this.parts.git.dataset.written=written;
this.parts.git.replaceChildren(...marks.map(({kind,text})=>newElement("li",`mark ${kind}`,text)));
}
const files=worktree.git?.conflicts??[];
this.parts.conflicts.hidden=files.length===0;
setText(this.parts.conflicts,files.length>0?say("conflictsIn",{files:named(files,say)}):"");
}
}
function agentName({agent}){
return AGENTS[agent]??agent??"";
}
function spanOf(seconds,locale){
if(seconds<2 * DAY)return duration(seconds);
return new Intl.NumberFormat(locale,{style:"unit",unit:"day",unitDisplay:"long"}).format(Math.floor(seconds / DAY));
}
function titleOf(worktree){
return worktree.session_title?.title||worktree.latest_session_title||worktree.name||worktree.branch||worktree.path;
}
function named(files,say){
const rest=files.length - MOST_FILES;
return files.slice(0,MOST_FILES).join(", ")+(rest>0?` ${say("moreFiles",{count:rest})}`:"");
}
function isTrusted({git}){
return git?.trust?.state==="trusted";
}
function cut(text){
return text.length>LONGEST_WORDS?`${text.slice(0,LONGEST_WORDS)}…`:text;
}
function gitMarks(worktree,say){
const git=worktree.git??{};
const marks=[];
const add=(kind,name,values)=>marks.push({kind,text:say(name,values)});
const counted=(kind,name,count,values={})=>count>0&&add(kind,name,{count,...values});
if(git.problem)marks.push({kind:"grave",text:say("gitProblem",{problem:git.problem})});
if(git.trust)add(isTrusted(worktree)?"quiet":"grave",isTrusted(worktree)?"trusted":"untrusted",{count:git.trust.count});
if(git.outside)add("mild","outside",{path:git.outside});
if(git.operation)add("grave",git.operation.steps?"operationStep":"operation",{...git.operation,kind:git.operation.kind});
counted("grave","conflictCount",git.conflict_count??git.conflicts?.length??0);
counted("mild","staged",git.staged);
counted("mild","unstaged",git.unstaged);
counted("mild","untracked",git.untracked);
if(!worktree.is_dirty&&!git.problem)add("quiet","clean");
const source=git.compared??worktree.source_branch;
if(source){
counted("quiet","commitsAhead",worktree.commit_count,{source});
counted("quiet","commitsBehind",worktree.commits_behind,{source});
}
if(git.upstream){
counted("quiet","toPush",git.ahead,{upstream:git.upstream});
counted("quiet","toPull",git.behind,{upstream:git.upstream});
}
counted("quiet","stashes",git.stashes);
if(git.locked !=null)add("quiet","locked",{reason:git.locked});
if(worktree.is_main)add("quiet","mainWorktree");
return marks;
}
return{WorktreeCard,titleOf,named,isTrusted,gitMarks};
})();
const m_worktrees_page=(()=>{
const{ActionSheet,CreationSheet}=m_worktrees_action_sheet;
const{reasonInWords}=m_worktrees_agent_reason;
const{DiffSheet}=m_worktrees_diff_sheet;
const{element,newElement,partsOf,setAttribute,setSign,setText}=m_shared_dom;
const{freshnessLine}=m_shared_freshness_line;
const{Engine}=m_engine_freshness;
const{keysAreOn}=m_shared_keys;
const{LiveResource}=m_engine_live_resource;
const{nextQuestion}=m_engine_next_question;
const{Notices}=m_worktrees_notices;
const{OmissionList}=m_worktrees_omission_list;
const{HoverAnchor,pressGuard}=m_shared_press_guard;
const{RestoreList}=m_worktrees_restore_list;
const{TokenForm}=m_shared_token_form;
const{begin,WorkPage}=m_shared_work_page;
const{Refusal,WorkspaceApi}=m_worktrees_workspace_api;
const{countOf,inOrder,stateOf}=m_worktrees_workspace_list;
const{workspaceSource}=m_worktrees_workspace_source;
const{isTrusted,titleOf,WorktreeCard}=m_worktrees_worktree_card;
const WASM="/assets/freshness.04b2dcc28d54.wasm";
const MESSAGES={
fr:()=>later("/assets/messages-fr-worktrees.4f183e9af6fb.js",loaded),
de:()=>later("/assets/messages-de-worktrees.1f9d9764c5c2.js",loaded),
it:()=>later("/assets/messages-it-worktrees.7f97e370d7f6.js",loaded),
en:()=>later("/assets/messages-en-worktrees.4a70ddd94e1a.js",loaded),
};
const POLICY={preset:"workspaces",push:{heartbeat:15_000}};
const SIGNS={live:"live",ageing:"live",reduced:"reduced",stale:"reduced",held:"reduced",loading:"loading",offline:"offline",failing:"failing"};
const NOTE_MS=30_000;
const COUNTED=["needs_you","done_unseen","working"];
const NEWS=["needs_you","done_unseen"];
const VAGUE=["git_failed","invalid_body","invalid_parameter"];
class WorkspacesPage extends WorkPage{
#y=new Map();
#bx=null;
#ba=null;
#by=false;
#bz=false;
#dk=null;
constructor(engine,words){
super(words);
this.root=element("worktree-page");
this.parts=partsOf(this.root);
this.token=new TokenForm("workspaces.token",()=>this.#ew());
const fields=()=>this.token.fields;
this.api=new WorkspaceApi(fields);
this.diff=new DiffSheet(this);
this.action=new ActionSheet(this);
this.creation=new CreationSheet(this);
const onArrival=(arrival)=>this.clock.learnFrom(arrival);
this.live=new LiveResource(workspaceSource(fields),{engine,policy:POLICY,device:this.device,onChange:()=>this.#ex(),onArrival});
this.notices=new Notices(this,(id)=>this.#y.get(id)?.root.focus());
this.anchor=new HoverAnchor(this.parts.list,{now:()=>this.device.now(),onLeave:()=>this.#bb()});
for(const name of ["refresh","again"])this.parts[name].addEventListener("click",()=>this.live.refresh());
this.parts.create.addEventListener("click",()=>this.creation.open());
this.restores=new RestoreList(this,this.parts);
this.omissions=new OmissionList(this,this.parts);
this.speak();
this.live.watch({});
}
get worktrees(){
return this.live.body?.worktrees??[];
}
#ew(){
this.#by=true;
this.live.stop();
this.#by=false;
this.live.watch({});
}
#ca={
diff:(card)=>this.diff.open(card),
sync:(card)=>this.action.open("sync",card),
merge:(card)=>this.action.open("merge",card),
remove:(card)=>this.action.open("remove",card),
trust:(card)=>this.action.open(isTrusted(card.worktree)?"distrust":"trust",card),
seen:(card)=>this.#ey(card),
};
async #ey(card){
try{
await this.api.seen(card.worktree.id);
this.live.refresh();
}catch(failure){
this.done(this.refusalInWords(failure).join(" "));
}
}
done(sentence,point=null){
this.restores.offer(point);
setText(this.parts.note,sentence);
this.parts.note.hidden=false;
clearTimeout(this.#dk);
this.#dk=setTimeout(()=>{
this.parts.note.hidden=true;
this.restores.offer(null);
},NOTE_MS);
this.live.refresh();
}
refusalInWords(failure){
if(!(failure instanceof Refusal))return [this.say(failure?.name==="TimeoutError"?"failedTimeout":"failedUnreachable")];
if(failure.status===401){
this.token.ask(this.say);
return [this.say("tokenNeeded")];
}
const sentence=this.#dl(failure.code);
if(failure.processes.length>0){
const names=failure.processes.map(({name,pid})=>`${name} (${pid})`).join(", ");
return [this.say("processesLive",{names})];
}
if(sentence&&!VAGUE.includes(failure.code))return [sentence];
return [sentence??this.say("failedServer",{status:failure.status}),failure.detail].filter(Boolean);
}
#dl(code){
const known=`refused-${code}`;
const sentence=this.say(known);
return sentence===known?null:sentence;
}
get #dm(){
return [...this.#y.values()].find(({root})=>root.contains(document.activeElement))??null;
}
#dn(step){
const cards=[...this.parts.list.children];
const at=cards.indexOf(this.#dm?.root);
cards[at<0?(step>0?0:cards.length - 1):Math.min(Math.max(at + step,0),cards.length - 1)]?.focus();
}
actOf(event){
if(event.key==="ArrowDown")return()=>this.#dn(1);
if(event.key==="ArrowUp")return()=>this.#dn(-1);
if(!keysAreOn())return null;
const card=this.#dm;
return{
r:()=>this.live.refresh(),
n:()=>this.creation.open(),
"?":()=>this.help(),
...(card&&{d:()=>this.#ca.diff(card)}),
...(card&&stateOf(card.worktree)==="done_unseen"&&{s:()=>this.#ca.seen(card)}),
}[event.key]??null;
}
speak(){
super.speak();
this.notices.speak();
this.omissions.list();
this.#bb();
}
#ex(){
if(this.#by)return;
const look=this.live.look();
if(look?.failure==="unauthorised"&&look.failureStatus===401)this.token.ask(this.say);
else if(look?.revision !=null&&!look.failure)this.token.hide();
this.#bb();
}
#bb(){
const body=this.live.body??null;
const ordered=body?inOrder(body.worktrees):[];
const needing=countOf(ordered,"needs_you");
document.title=needing>0?`(${needing}) ${this.say("workspacesPage")}`:this.say("workspacesPage");
this.#ez(ordered);
pressGuard.run(this,()=>this.anchor.keep(()=>this.#fa(body,ordered)));
}
#fa(body,ordered){
const{list,empty,create}=this.parts;
this.#bz=this.anchor.isActive&&list.children.length>0;
this.#fb(list,this.#bz?this.#fc(ordered):ordered);
create.hidden=ordered.length===0;
this.parts.restores.hidden=!body;
if(body)this.omissions.show(ordered.length===0);
empty.hidden=!body||ordered.length>0;
this.#fd(body,ordered);
this.tick();
}
#fd(body,ordered){
const counts=COUNTED.map((state)=>[state,countOf(ordered,state)]).filter(([,count])=>count>0);
const words=counts.map(([state,count])=>[state,this.say(`count-${state}`,{count})]);
if(body&&ordered.length>0&&words.length===0)words.push(["none",this.say("countNone",{count:ordered.length})]);
if(this.parts.summary.dataset.written===String(words))return;
this.parts.summary.dataset.written=String(words);
this.parts.summary.replaceChildren(...words.map(([state,text])=>{
const item=newElement("li","",text);
item.dataset.state=state;
return item;
}));
}
#fc(worktrees){
const places=new Map([...this.parts.list.children].map((card,index)=>[card.dataset.id,index]));
const place=({id})=>places.get(id)??places.size;
return [...worktrees].sort((one,other)=>place(one)- place(other));
}
#fb(list,ordered){
const wanted=new Set(ordered.map(({id})=>id));
for(const [id,card] of this.#y){
if(wanted.has(id))continue;
card.root.remove();
this.#y.delete(id);
}
const focus=(document.activeElement);
ordered.forEach((worktree,index)=>{
let card=this.#y.get(worktree.id);
if(!card)this.#y.set(worktree.id,(card=new WorktreeCard(this.#ca)));
card.show(worktree,this.say);
if(list.children[index] !==card.root)list.insertBefore(card.root,list.children[index]??null);
});
if(focus !==document.activeElement&&focus?.isConnected)focus.focus({preventScroll:true});
}
#ez(ordered){
const before=this.#bx;
this.#bx=this.live.body?new Map(ordered.map((worktree)=>[worktree.id,stateOf(worktree)])):null;
if(!before||!this.#bx)return;
const news=ordered.filter((worktree)=>NEWS.includes(stateOf(worktree))&&before.get(worktree.id)!==stateOf(worktree));
const sentence=news.map((worktree)=>`${titleOf(worktree)}: ${this.say(`state-${stateOf(worktree)}`)}`).join(". ");
if(sentence)this.announcer.say(sentence,{now:this.device.now(),urgent:true});
for(const worktree of news){
const title=`${titleOf(worktree)}: ${this.say(`state-${stateOf(worktree)}`)}`;
this.notices.tell({id:worktree.id,title,text:reasonInWords(worktree.activity.reason,this.say)||worktree.latest_claude_message||""});
}
}
tick(){
if(this.#bz&&!this.anchor.isActive)this.#bb();
const now=this.clock.now();
for(const card of this.#y.values())card.tick(now,this.say,this.locale);
this.#fe();
}
#fe(){
const look=this.live.look();
const steady=this.device.now();
const retryIn=look===null?null:look.nextCause==="outstanding"?0:nextQuestion({look,now:steady}).wait;
const{problem}=this.live.failure??{};
const line=freshnessLine({look,problem,retryIn,saved:null,shownAt:null,zone:null},this.say);
const sentence=line.state==="failing"?this.#dl(problem?.error):null;
const isTold=line.state==="failing"&&problem?.detail&&!sentence&&look.failureStatus !==401;
const isBare=!this.live.body&&["failing","offline"].includes(line.state)&&!this.token.isShown;
const said=isTold&&!isBare?[line.detail,problem.detail].filter(Boolean).join(" · "):line.detail;
const title=sentence?.replace(/\.$/,"")??line.title;
this.parts.trouble.hidden=!isBare;
setText(this.parts.troubletitle,title);
setText(this.parts.troubletext,isTold?problem.detail:this.say("nothingYet"));
setAttribute(this.root,"data-state",line.state);
setAttribute(this.root,"data-loading",look?.isLoading?"yes":null);
setSign(this.parts.sign,SIGNS[line.state]??"loading");
setText(this.parts.state,isBare?line.title:title);
setText(this.parts.detail,said);
if(this.#ba !==line.state){
const isNews=this.#ba !==null&&["failing","offline"].some((one)=>one===line.state||one===this.#ba);
this.#ba=line.state;
if(isNews)this.announcer.say(title,{now:steady,urgent:true});
}
}
}
begin(MESSAGES,async(words)=>{
const [engine,loaded]=await Promise.all([Engine.load(fetch(WASM)),words]);
return new WorkspacesPage(engine,loaded);
});
return{};
})();
