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
#g;
#an;
#k;
#bg;
#bh=false;
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
this.#g=instance.exports;
const version=this.#g.freshness_wire_version?.();
if(version !==WIRE_VERSION){
const problem=`the module speaks wire form ${version}, not ${WIRE_VERSION}`;
throw new EngineError("wrongModule","",problem);
}
this.#k=this.#g.freshness_buffer();
this.#bg=this.#g.freshness_buffer_capacity();
}
get machines(){
return this.#g.freshness_machines();
}
get memory(){
return{
inUse:this.#g.freshness_memory_in_use()>>>0,
size:this.#g.memory.buffer.byteLength,
};
}
policy(description){
const members=new Members(description,"policy");
if(members.has("preset")===members.has("every")){
throw new EngineError("missing","policy.preset","either this or \"every\" is expected");
}
const policy=this.#cl(members);
for(const [field,kind] of POLICY_FIELDS){
if(!members.has(field))continue;
const value=members.take(field);
policy[field]=kind==="push"&&value !==null?this.#cm(value):value;
}
members.end();
return policy;
}
#cl(members){
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
#cm(value){
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
if(this.#bh)throw new EngineError("broken","","the module stopped at a fault before");
const writer=new Writer(this.#bi(),this.#k,this.#bg);
write?.(writer);
let result;
try{
result=this.#g[name](...values,...(write?[writer.count]:[]));
}catch(fault){
this.#bh=true;
throw new EngineError("broken","",`the module stopped at a fault: ${fault.message}`);
}
if(result<0)throw this.#cn(-result,writer);
if(!read)return result;
const reader=new Reader(this.#bi(),this.#k,result);
const value=read(reader);
reader.finish();
return value;
}
#cn(number,writer){
const code=CODES[number - 1]??"unknown";
const where=number<=4?writer.names[this.#g.freshness_error_position()]??"":"";
const problems={
outOfRange:"the number is out of its range",
noSuchMachine:"the machine was destroyed",
outOfMemory:"there is no memory for it",
tooManyMachines:"there are as many machines as there may be",
};
return new EngineError(code,where,problems[code]??`the module refused the message (${code})`);
}
#bi(){
const{buffer}=this.#g.memory;
if(this.#an?.buffer !==buffer)this.#an=new DataView(buffer);
return this.#an;
}
}
class Machine{
#b;
#p=-Infinity;
constructor(call){
this.#b=call;
}
handle(event,now,draw){
const effects=this.#b("freshness_handle",(writer)=>{
this.#ao(writer,now);
writer.integer(draw,"draw");
writeEvent(writer,event);
},readEffects);
this.#p=Math.floor(now);
return effects;
}
look(now){
return this.#b("freshness_look",(writer)=>this.#ao(writer,now),readLook);
}
label(now){
return this.#b("freshness_label",(writer)=>this.#ao(writer,now),readLabel);
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
#ao(writer,now){
if(Math.floor(now)<this.#p){
const problem=`${now} is before the last event, at ${this.#p}; pass a clock that never runs backwards`;
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
const m_status_history_points=(()=>{
const RANGES={day:{seconds:86_400,step:900},week:{seconds:7 * 86_400,step:3600}};
const AGAIN_MS=60_000;
class HistoryPoints{
#ap="day";
#q=null;
#bj=0;
#ad=null;
constructor(onChange){
this.onChange=onChange;
this.known=null;
}
get range(){
return this.#ap;
}
choose(range){
this.#ap=range;
this.known=null;
this.ask();
}
begin(now){
const isFirst=this.#ad===null;
this.#ad=now;
if(isFirst&&now !==null)this.ask();
}
async ask(){
clearTimeout(this.#q);
const number=++this.#bj;
const{seconds,step}=RANGES[this.#ap];
const to=new Date(this.#ad);
const query=new URLSearchParams({from:new Date(this.#ad - seconds * 1000).toISOString(),to:to.toISOString(),step:String(step)});
const known=await load(query).catch(()=>null);
if(number !==this.#bj)return;
this.#q=setTimeout(()=>this.ask(),AGAIN_MS);
if(!known&&this.known)return;
this.known=known??{failure:true};
this.onChange(this.known);
}
}
async function load(query){
const response=await fetch(`/api/history/points?${query}`,{headers:{accept:"application/json"}});
if(response.status===404)return{isOff:true};
if(!response.ok)return null;
const body=await response.json();
return{series:body.series,from:Date.parse(body.from),to:Date.parse(body.to),step:body.step * 1000};
}
return{HistoryPoints};
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
const m_board_departure=(()=>{
const ARRIVING_FROM_SECONDS=13;
const DEPARTED_AFTER_SECONDS=30;
const LONGEST_COUNTDOWN_MINUTES=59;
function effectiveDeparture(departure){
return Date.parse(departure.realtimeDeparture??departure.scheduledDeparture);
}
function secondsToDeparture(departure,now){
return(effectiveDeparture(departure)- now)/ 1000;
}
function hasDeparted(departure,now){
return secondsToDeparture(departure,now)<-DEPARTED_AFTER_SECONDS;
}
function minutesToDeparture(seconds){
if(seconds>60)return Math.ceil(seconds / 60);
return seconds>0?1:0;
}
function countdown(departure,now){
if(isOff(departure))return{kind:"none"};
const seconds=secondsToDeparture(departure,now);
if(seconds<=ARRIVING_FROM_SECONDS)return{kind:"arriving"};
const minutes=minutesToDeparture(seconds);
return minutes>LONGEST_COUNTDOWN_MINUTES?{kind:"none"}:{kind:"minutes",minutes};
}
const TRAIN_CATEGORIES=new Set(["IC","IR","EC","EN","R","RE","S","SN","ICE","TGV","NJ","RJ","RJX","PE","GPX"]);
const MODES_OF_ROUTE_TYPES=[
[2,2,"train"],[100,199,"train"],[3,3,"bus"],[11,11,"bus"],[200,299,"bus"],[700,899,"bus"],
[0,0,"tram"],[900,999,"tram"],[1,1,"metro"],[400,699,"metro"],[4,4,"boat"],[1000,1099,"boat"],
[1200,1299,"boat"],[7,7,"funicular"],[1400,1499,"funicular"],[5,6,"cableway"],[1300,1399,"cableway"],
];
function modeOf(departure){
const type=departure.routeType;
const known=MODES_OF_ROUTE_TYPES.find(([first,last])=>type !=null&&type>=first&&type<=last);
if(known)return known[2];
return TRAIN_CATEGORIES.has(departure.category)?"train":"other";
}
const REGIONAL_CATEGORIES=new Set(["R","S","SN"]);
function isRegional(departure){
return isTrain(departure)&&(REGIONAL_CATEGORIES.has(departure.category)||departure.routeType===109);
}
function isTrain(departure){
return modeOf(departure)==="train";
}
function lineName(line){
return(line??"").trim().replace(/^([A-Za-z]*)0+(?=\d)/,"$1");
}
const SHOWN_DELAY_FROM_MINUTES=2;
const EARLY_FROM_SECONDS=-60;
const ON_TIME_BELOW_SECONDS=30;
function isOfHeadway(departure){
return departure.certainty==="headway";
}
function delaySeconds(departure){
if(departure.rawDelaySec !=null)return departure.rawDelaySec;
if(departure.realtimeDeparture==null||isOfHeadway(departure))return null;
return(Date.parse(departure.realtimeDeparture)- Date.parse(departure.scheduledDeparture))/ 1000;
}
function delayMinutes(departure){
if(departure.displayedDelayMin !=null)return departure.displayedDelayMin;
if(departure.delayMin !=null)return departure.delayMin;
const seconds=delaySeconds(departure);
return seconds==null?null:minutesOfDelay(seconds,isTrain(departure));
}
function minutesOfDelay(seconds,ofTrain){
if(seconds<0)return Math.ceil(seconds / 60)||0;
const minutes=seconds<ON_TIME_BELOW_SECONDS?0:Math.ceil(seconds / 60);
return ofTrain&&minutes===1?0:minutes;
}
function isWorthSaying(seconds,minutes){
return seconds<=EARLY_FROM_SECONDS||minutes>=SHOWN_DELAY_FROM_MINUTES;
}
function expectedMinute(scheduled,minutes){
return(Math.floor(scheduled / 60_000)+ minutes)* 60_000;
}
function isCancelled(departure){
return Boolean(departure.cancelled);
}
function isSkipped(departure){
return departure.status==="SKIPPED_STOP"||departure.stopEvent==="SKIPPED"||hasFlag(departure,"STOP_SKIPPED");
}
function isOff(departure){
return isCancelled(departure)||isSkipped(departure);
}
function hasFlag(departure,flag){
return departure.flags?.includes(flag)??false;
}
function isPredicted(departure){
return departure.realtimeDeparture !=null&&!isOff(departure);
}
const FRESHNESS=["fresh","ageing","stale"];
const FRESH_UP_TO_SECONDS=45;
const AGEING_UP_TO_SECONDS=180;
function freshnessOf(departure,now){
if(!isPredicted(departure))return null;
const said=Math.max(FRESHNESS.indexOf(departure.realtimeFreshness),0);
const age=ageOfPrediction(departure,now);
const aged=age===null||age<=FRESH_UP_TO_SECONDS?0:age<=AGEING_UP_TO_SECONDS?1:2;
return FRESHNESS[Math.max(said,aged)];
}
function ageOfPrediction(departure,now){
const known=Date.parse(departure.realtimeAt??"");
return Number.isNaN(known)?null:(now - known)/ 1000;
}
function punctuality(departure){
if(isCancelled(departure))return{kind:"cancelled"};
if(isSkipped(departure))return{kind:"skipped"};
const seconds=delaySeconds(departure);
if(seconds !=null&&seconds<=EARLY_FROM_SECONDS)return{kind:"early"};
const minutes=delayMinutes(departure);
if(minutes==null||minutes<SHOWN_DELAY_FROM_MINUTES)return{kind:"none"};
return isTrain(departure)?{kind:"late",minutes}:{kind:"delayed",minutes};
}
function isRough(departure){
const{certainty,uncertaintySec,realtimeDeparture}=departure;
return certainty==="interpolated"||(isOfHeadway(departure)&&realtimeDeparture==null)||uncertaintySec>0;
}
function uncertainty({uncertaintySec},say){
return uncertaintySec>0?`± ${Math.ceil(uncertaintySec / 60)} ${say("minuteMark")}`:null;
}
function headwayMinutes(departure){
return departure.headwaySec>0?Math.max(1,Math.round(departure.headwaySec / 60)):null;
}
function vehicleWord({vehicle,occupancy}){
const at=vehicle?.stopsAway===0?vehicle.status:"";
const load=occupancy??vehicle?.occupancy??"";
return at==="STOPPED_AT"||at==="INCOMING_AT"?at:/^FULL|NOT_A/.test(load)?"FULL":/STANDING/.test(load)?"STANDING":null;
}
function peculiarities(departure){
return [
departure.replacementType||hasFlag(departure,"REPLACEMENT_SERVICE")?"replacement":null,
hasFlag(departure,"EXTRA_SERVICE")?"extra":null,
hasFlag(departure,"DETOUR")?"detour":null,
hasFlag(departure,"SHORT_TURN")||hasFlag(departure,"SHORT_TURN_TERMINUS")?"shortTurn":null,
].filter(Boolean);
}
return{ARRIVING_FROM_SECONDS,DEPARTED_AFTER_SECONDS,LONGEST_COUNTDOWN_MINUTES,effectiveDeparture,secondsToDeparture,hasDeparted,minutesToDeparture,countdown,modeOf,isRegional,isTrain,lineName,isOfHeadway,delaySeconds,delayMinutes,minutesOfDelay,isWorthSaying,expectedMinute,isCancelled,isSkipped,isOff,isPredicted,freshnessOf,ageOfPrediction,punctuality,isRough,uncertainty,headwayMinutes,vehicleWord,peculiarities};
})();
const m_board_colours=(()=>{
const{lineName}=m_board_departure;
const READABLE_CONTRAST=4.5;
const CALM_TONES=[
"2F4B6E","7A3E48","2E6156","6A4A7C","7A5229","35608A","4F6130","8A4465","3F5560","5C4F8F","2B6A77","6B5744",
];
function readableHex(colour){
return /^#?[0-9a-f]{6}$/i.test(colour??"")?colour.replace("#","").toUpperCase():null;
}
function luminance(hex){
const [red,green,blue]=[0,2,4].map((at)=>{
const part=parseInt(hex.slice(at,at + 2),16)/ 255;
return part<=0.04045?part / 12.92:((part + 0.055)/ 1.055)** 2.4;
});
return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one,other){
const [dark,light]=[luminance(one),luminance(other)].sort((a,b)=>a - b);
return(light + 0.05)/(dark + 0.05);
}
function blackOrWhite(ground){
return contrast(ground,"FFFFFF")>=contrast(ground,"000000")?"FFFFFF":"000000";
}
function toneOf(line){
let hash=0x811c9dc5;
for(const character of line)hash=Math.imul(hash ^ character.codePointAt(0),0x01000193)>>>0;
return CALM_TONES[((hash ^(hash>>>15))>>>0)% CALM_TONES.length];
}
function badgeColours(departure){
const ground=readableHex(departure.routeColor)??toneOf(lineName(departure.line));
const offered=readableHex(departure.routeTextColor);
const readable=offered&&contrast(ground,offered)>=READABLE_CONTRAST;
return{ground:`#${ground}`,text:`#${readable?offered:blackOrWhite(ground)}`};
}
return{readableHex,contrast,badgeColours};
})();
const m_status_shares=(()=>{
const{newElement}=m_shared_dom;
const SHARES=[
["early","var(--early)"],["onTime","var(--on-time)"],["upTo3","var(--up-to-3)"],["upTo5","var(--up-to-5)"],["upTo10","var(--up-to-10)"],["over10","var(--over-10)"],
];
const OTHERS=[["cancelled","var(--called-off)"],["unpredicted","var(--unknown)"]];
function legend(say,shares){
const list=newElement("ul","plot-legend");
list.append(...shares.map(([name,colour])=>{
const item=newElement("li","",say(`share-${name}`));
item.style.setProperty("--key",colour);
return item;
}));
return list;
}
function shareBar(counts,say){
const bar=newElement("div","share-bar");
const shares=[...SHARES,...OTHERS].filter(([name])=>countOf(counts,name)>0);
bar.setAttribute("role","img");
bar.setAttribute("aria-label",shares.map(([name])=>`${say(`share-${name}`)}: ${countOf(counts,name)}`).join(", "));
bar.append(...shares.map(([name,colour])=>{
const part=newElement("span");
part.style.setProperty("--key",colour);
part.style.flexGrow=String(countOf(counts,name));
part.title=`${say(`share-${name}`)}: ${countOf(counts,name)}`;
return part;
}));
return bar;
}
function countOf(counts,name){
return name==="cancelled"?counts.cancelled +(counts.skipped??0):counts[name];
}
return{SHARES,OTHERS,legend,shareBar};
})();
const m_status_line_list=(()=>{
const{badgeColours}=m_board_colours;
const{newElement,paintBadge}=m_shared_dom;
const{legend,OTHERS,shareBar,SHARES}=m_status_shares;
const MOST=8;
function worstLines(lines,{say,number}){
const columns=[["line",""],["delays","line-bar"],["punctual","figure"],["median","figure wide-only"],["departuresShort","figure wide-only"]];
return table(lines.slice(0,MOST),columns,say,"noWorst",(line)=>[
shareBar(line,say),
line.punctualPercent===null||line.punctualPercent===undefined?"–":`${number(line.punctualPercent,0)}\u00a0%`,
delayInWords(line.medianDelaySec),
number(line.predicted),
],true);
}
function missingLines(lines,{say,number}){
const most=Math.max(1,...lines.map(({tripsMissing})=>tripsMissing));
const columns=[["line",""],["missing","line-bar"],["missingTrips","figure"],["tripsShort","figure"]];
return table(lines.slice(0,MOST),columns,say,"noMissing",(line)=>{
const bar=newElement("div","share-bar");
const [part,rest]=[newElement("span"),newElement("span")];
part.style.setProperty("--key","var(--over-10)");
rest.style.setProperty("--key","transparent");
part.style.flexGrow=String(line.tripsMissing);
rest.style.flexGrow=String(most - line.tripsMissing);
bar.setAttribute("aria-hidden","true");
bar.append(part,...(line.tripsMissing<most?[rest]:[]));
return [bar,number(line.tripsMissing),number(line.trips)];
},false);
}
function table(lines,columns,say,nothing,cells,hasLegend){
const card=newElement("div","line-card");
if(lines.length===0){
card.append(newElement("p","soft",say(nothing)));
return card;
}
const grid=newElement("table");
const head=newElement("tr");
head.append(...columns.map(([name,style])=>{
const cell=newElement("th",style,say(`column-${name}`));
cell.scope="col";
return cell;
}));
const body=newElement("tbody");
for(const line of lines){
const row=newElement("tr");
const name=newElement("th");
name.scope="row";
name.append(nameOf(line,say));
row.append(name,...cells(line).map((content,index)=>{
const cell=newElement("td",columns[index + 1][1]);
cell.append(content);
return cell;
}));
body.append(row);
}
const top=newElement("thead");
top.append(head);
grid.append(top,body);
card.append(...(hasLegend?[legend(say,[...SHARES,...OTHERS])]:[]),grid);
return card;
}
function nameOf(line,say){
const box=newElement("div","line-name");
const badge=newElement("span","badge",line.line??say("other"));
paintBadge(badge,badgeColours(line));
box.append(badge,newElement("span","",line.operator??""));
return box;
}
function delayInWords(seconds){
if(seconds===null||seconds===undefined)return "–";
const whole=Math.abs(seconds);
return `${seconds<0?"−":"+"}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2,"0")}`;
}
return{worstLines,missingLines,delayInWords};
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
#aq;
#r;
#l;
#i=0;
#f=new Map();
#j=new Set();
#s=new Set();
#t={};
static of(engine,address,policy,now){
if(!gates.has(engine))gates.set(engine,new Map());
const known=gates.get(engine);
return remembered(known,originOf(address),(name)=>new OriginGate(engine,policy,now,name));
}
constructor(engine,policy,now,name){
this.#aq=engine.origin(policy);
this.#r=name;
this.#l=now;
}
get isUnused(){
return this.#s.size===0&&this.#j.size===0;
}
get isRestrained(){
return Object.values(this.#t).some((limit)=>limit !==null);
}
get isFailing(){
return(this.#t.quietUntil??null)!==null;
}
get #bk(){
let count=0;
for(const resource of this.#s)if(resource.isRunning)count +=1;
return Math.max(count,1);
}
destroy(){
this.#aq.destroy();
}
join(resource){
this.#s.add(resource);
resource.restrain(this.#t);
return()=>this.#s.delete(resource);
}
ask({priority,longPoll},start,delay=()=>{}){
this.#i +=1;
const number=this.#i;
this.#f.set(number,{start,delay,isLongPoll:longPoll !==null});
this.#j.add(number);
queueMicrotask(()=>this.#f.has(number)&&this.#bl(number,priority));
return number;
}
hurry(number){
if(this.#f.has(number))this.#bl(number,"high");
}
#bl(number,priority){
try{
this.#m({event:"asks",with:{number,priority,isLongPoll:this.#f.get(number).isLongPoll}});
}catch(failure){
if(failure.code !=="noRoom")throw failure;
this.#bm(number);
}
}
stream(open,refuse){
if(this.#co()){
queueMicrotask(open);
return null;
}
this.#i +=1;
const number=this.#i;
this.#j.add(number);
const start=()=>{
if(!this.#j.has(number))return;
let isOpen=false;
this.#f.set(number,{start:()=>(isOpen=true),isStream:true});
this.#m({event:"opens",with:{number}});
this.#f.delete(number);
if(isOpen)return open();
this.#j.delete(number);
refuse();
};
queueMicrotask(start);
return number;
}
#co(){
const entries=globalThis.performance?.getEntriesByType?.("resource")??[];
const known=entries.filter(({name,nextHopProtocol})=>nextHopProtocol&&name.startsWith(`${this.#r}/`));
return /^h[23]/.test(known.at(-1)?.nextHopProtocol??"");
}
withdraw(number){
this.#j.delete(number);
this.#f.delete(number);
this.#m({event:"withdrew",with:{number}});
}
tooSlow(number){
this.#j.delete(number);
this.#f.delete(number);
this.#m({event:"ended",with:{number,outcome:"timedOut"}});
}
ended(number,arrival){
this.#j.delete(number);
const{outcome,marks,rateLimit=null}=arrival;
const report={number,outcome,serverTime:marks.serverTime??null,rateLimit,resources:this.#bk};
if(outcome==="content")report.revision=0;
if(outcome==="undecodable")report.reason=0;
if(outcome==="throttled")report.retryAfter=arrival.retryAfter;
this.#m({event:"ended",with:report});
}
asksForPause({retryAfter,serverTime}){
this.#m({event:"ended",with:{number:0,outcome:"throttled",retryAfter,serverTime,rateLimit:null,resources:this.#bk}});
}
#m(event){
event.with.now??=this.#l();
const{restraint,send,delayed}=this.#aq.handle(event);
if(JSON.stringify(restraint)!==JSON.stringify(this.#t)){
this.#t=restraint;
for(const resource of this.#s)queueMicrotask(()=>this.#s.has(resource)&&resource.restrain(this.#t));
}
for(const{number,isHeld}of send)this.#cp(number,isHeld);
for(const number of delayed)this.#bm(number);
if(delayed.length>0)this.#m({event:"withdrew",with:{number:0}});
}
#cp(number,isHeld){
const{start,isStream}=this.#f.get(number)??{};
if(start===undefined)return;
if(isStream)return start();
queueMicrotask(()=>this.#f.delete(number)&&start(isHeld));
}
#bm(number){
const{delay}=this.#f.get(number)??{};
this.#f.delete(number);
this.#j.delete(number);
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
#c=null;
#bn=null;
#n=null;
#bo=null;
#h=null;
#u={question:0};
#d=null;
#v=null;
#o=null;
#ar=0;
#as=0;
#q=null;
#e=null;
#at=null;
#i=0;
#p=-Infinity;
#w=null;
#au=[];
#ae=[];
#av=new Map();
#bp=[];
#af=new Map();
#x=false;
#z=false;
#aa=false;
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
return(this.#p=Math.max(this.#p,this.device.now()));
}
watch(question){
if(this.#z||(this.#h !==null&&this.source.isSame(question,this.#h)))return;
this.#h=question;
this.#w=null;
if(!this.#c)return this.#cq();
this.#u={question:this.#u.question + 1};
const hadStream=this.#v !==null||this.#o !==null;
this.#ag();
[this.#ar,this.#as]=[0,0];
this.#a({event:"contextChanged",with:this.#u});
if(hadStream)this.#a({event:"linkLost"});
}
pause(){
if(!this.#y)return;
[this.#x,this.#aa]=[false,false];
this.#a({event:"stopped"});
}
resume(){
if(!this.#y)return;
this.#aa=true;
this.#a({event:"started"});
}
acted(){
this.#y&&this.#a({event:"acted"});
}
invalidate(){
if(!this.#y)return;
this.#x=this.#d !==null&&!this.#d.isHeld;
this.acted();
if(!this.#x)this.#a({event:"wished",with:{wish:"change"}});
}
stop(){
const machine=this.#c;
if(!machine||this.#z)return;
[this.#z,this.#aa]=[true,false];
this.#a({event:"stopped"});
this.#bn();
this.#ag();
this.#bo();
this.timers.clearTimeout(this.#q);
machine.destroy();
[this.#c,this.#h,this.#e,this.#w]=[null,null,null,null];
this.#z=false;
}
refresh({isForced=false}={}){
if(!this.#y)return;
this.#a({event:"wished",with:{wish:isForced?"hardRefresh":"person"}});
if(this.#d)this.#n.hurry(this.#d.number);
}
restrain(restraint){
this.#y&&this.#a({event:"restrained",with:restraint});
}
get isRunning(){
return this.#aa;
}
get #y(){
return this.#c !==null&&!this.#z;
}
get question(){
return this.#h;
}
get outstanding(){
return this.#d?.generation??null;
}
get body(){
return this.#e?.body??null;
}
look(){
return this.#c?.look(this.now())??null;
}
get failure(){
return this.#w;
}
diagnostics(){
if(!this.#c)return null;
return{
ring:this.#au,
records:this.#ae,
counters:this.#c.counters(),
policy:this.policy,
look:this.look(),
notes:this.#bp,
now:this.now(),
};
}
#cq(){
this.#n=OriginGate.of(this.engine,this.source.address(this.#h,null),this.clientPolicy,()=>this.device.now());
this.#c=this.engine.machine({policy:this.wished,context:this.#u});
this.#bn=this.device.listen((event)=>this.#a(event));
this.#bo=this.#n.join(this);
this.#aa=true;
this.#a({event:"started"});
}
#a(event,now=this.now()){
this.#cr(event,now);
const effects=this.#c.handle(event,now,Engine.draw());
if(effects.notes.length>0)this.#bp=effects.notes;
this.#cs(effects.alarm,now);
if(effects.cancel !==null&&this.#d?.generation===effects.cancel){
this.#d.abort.abort();
const{gate,number,sentAt,timeout}=this.#d;
this.#d=null;
const isTooSlow=effects.notes.includes("timedOut")&&sentAt !==null&&now - sentAt<timeout + LATEST_TIMER_MS;
if(isTooSlow)gate.tooSlow(number);
else gate.withdraw(number);
}
if(effects.sample)this.#ct(effects.sample);
this.#cu(effects,now);
const isAnswered=effects.sample?.outcome==="content"||effects.sample?.outcome==="unchanged";
if(effects.asOf !==null)this.onConfirmed(effects.asOf,isAnswered?effects.sample.generation:null);
if(effects.request)this.#cv(effects.request,now);
if(effects.link==="open")this.#cw();
if(effects.link==="close")this.#ag();
if(effects.changes.length>0||effects.snapshot !=="none")this.onChange(this);
return effects;
}
#cr({event},now){
const flight=this.#d;
if(event==="queued"||flight===null||flight.sentAt !==null||now<flight.deadline||flight.gate.isFailing)return;
this.#bq(flight,now);
}
#bq(flight,now){
flight.deadline=now + flight.timeout;
const{generation,context}=flight;
this.#a({event:"queued",with:{generation,context}},now);
}
#cs(alarm,now){
this.timers.clearTimeout(this.#q);
if(alarm===null)return;
const wait=Math.min(Math.max(0,alarm - now),LONGEST_TIMER_MS);
this.#q=this.timers.setTimeout(()=>this.#a({event:"woke"}),wait);
}
#cu(effects,now){
const look=this.#c.look(now);
const incoming=this.#at;
this.#at=null;
if(incoming&&look.revision===incoming.revision&&effects.snapshot !=="hold"){
const isValid=look.validator !==null&&look.validator===incoming.validator;
this.#e={...incoming,tag:isValid?incoming.tag:null};
}
if(look.revision===null)this.#e=null;
if(effects.notes.includes("timedOut"))this.#w={problem:null,reason:null};
}
get #br(){
return `GET ${nameOf(this.source.address(this.#h,null))}`;
}
#cx(generation){
const before=/;m=([0-9a-f]{16})[0-9a-f]{48}$/.exec(this.#af.get(this.#br)??"");
return before?{"X-MD-Receipt-After":`${generation};${before[1]}`}:{};
}
#ct(sample){
const evidence=this.#av.get(sample.generation);
this.#av.clear();
const record=sampleRecord(sample,this.#br,this.origin,evidence);
if(evidence?.receipt)this.#af.set(record.resource,evidence.receipt);
if(this.#af.size>MOST_RECEIPTS)this.#af.clear();
const capacity=this.policy.ringCapacity;
this.#au=[...this.#au,record].slice(-capacity);
this.#ae.push(record);
if(this.#ae.length>this.mostRecords)this.#ae.shift();
}
#cv(request,orderedAt){
const [machine,gate]=[this.#c,this.#n];
const{generation,context,timeout,longPoll}=request;
const flight={generation,context,gate,abort:new AbortController(),number:0,isHeld:longPoll !==null,sentAt:null,timeout,deadline:orderedAt + timeout};
flight.number=gate.ask(request,(isHeld)=>{
if(this.#c !==machine)return gate.withdraw(flight.number);
if(flight.abort.signal.aborted)return;
const now=this.now();
if(now>orderedAt)this.#bq(flight,now);
if(longPoll !==null&&!isHeld&&!flight.abort.signal.aborted){
[request.longPoll,flight.isHeld,flight.timeout]=[null,false,timeout - longPoll];
this.#a({event:"notHeld",with:{generation,context}},now);
}
if(flight.abort.signal.aborted)return;
flight.sentAt=now;
this.#cy(request,flight);
},()=>{
if(this.#c !==machine||this.#d !==flight)return;
this.#d=null;
this.#x=false;
this.#a({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
});
this.#d=flight;
}
async #cy(request,{abort,gate,number}){
const machine=this.#c;
const why={origin:request.origin??null,asked:this.source.subjectOf(this.#h)};
const isKnown=request.validator !==null&&this.#e?.validator===request.validator;
const base=isKnown&&this.#e.tag !==null?this.#e:null;
const arrival=await ask(()=>this.source.address(this.#h,base),{
tag:base?.tag??null,
fields:()=>({...this.source.fields(),...this.#cx(request.generation)}),
read:(document,headers)=>this.source.read(document,headers,base,this.#e),
ownsTime:this.source.ownsTime?.(this.#e?.body)??false,
wait:request.longPoll===null?null:Math.floor(request.longPoll / 1000),
signal:abort.signal,
now:()=>this.now(),
send:this.send,
});
if(!abort.signal.aborted&&arrival.isSent)gate.ended(number,arrival);
else if(!abort.signal.aborted)gate.withdraw(number);
if(this.#c !==machine)return;
if(this.#d?.generation===request.generation)this.#d=null;
const{generation,context}=request;
if(arrival.isOfAnotherCopy){
this.#a({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
const wish={origin:"change",isUnconditional:true};
return this.#a({event:"wished",with:wish});
}
this.#av.set(generation,{...why,...arrival.evidence});
const isCurrent=context.question===this.#u.question;
if(isCurrent&&arrival.outcome !=="cancelled"){
this.#w={problem:arrival.problem,reason:arrival.reason??null};
this.onArrival(arrival);
}
this.#bs("answered",{generation,context},this.#bt(arrival,isCurrent),arrival.answeredAt);
if(!this.#x||this.#d !==null)return;
this.#x=false;
if(this.#c===machine)this.#a({event:"wished",with:{wish:"change"}});
}
#bs(event,values,answer,arrivedAt){
const now=this.now();
answer.decoding=Math.max(0,Math.round(now - arrivedAt));
this.#a({event,with:{...values,answer}},now);
}
#bt(arrival,isCurrent){
try{
return this.#bu(arrival,isCurrent);
}catch(failure){
this.#w={problem:null,reason:String(failure?.message??failure).slice(0,200)};
return this.#bu({...arrival,outcome:"undecodable"},isCurrent);
}
}
#bu(arrival,isCurrent){
const answer={
outcome:arrival.outcome,status:arrival.status,bytes:arrival.bytes,hints:arrival.hints,
marks:{...arrival.marks,...this.source.marks},deviceTime:Date.now(),
};
if(arrival.answeredAt !==undefined)answer.delay=Math.max(0,Math.round(arrival.answeredAt - arrival.askedAt));
this.#i +=1;
if(arrival.outcome==="content"){
const isSame=isCurrent&&this.#e !==null&&this.#cz(arrival.body);
const incoming={
body:arrival.body,
tag:arrival.tag,
revision:isSame?this.#e.revision:this.#i,
validator:arrival.tag===null?null:this.#i,
};
if(isCurrent)this.#at=incoming;
answer.revision=incoming.revision;
answer.validator=incoming.validator;
Object.assign(answer,this.source.natureOf(arrival.body));
}
if(arrival.outcome==="throttled")answer.retryAfter=arrival.retryAfter;
if(arrival.outcome==="undecodable")answer.reason=this.#i;
return answer;
}
#cz(body){
try{
return this.source.contentOf(this.#e.body)===this.source.contentOf(body);
}catch{
return false;
}
}
#cw(){
this.#ag();
if(this.source.occupiesNoConnection)return this.#bv();
const place={number:null};
place.number=this.#n.stream(
()=>this.#o===place&&this.#bv(),
()=>{
if(this.#o !==place)return;
this.#o=null;
this.#a({event:"linkLost"});
},
);
this.#o=place;
}
#bv(){
try{
this.#v=this.#da();
}catch{
this.#aw();
this.#a({event:"linkLost"});
}
}
#da(){
let heardAt=this.now();
const stream=this.source.openStream(this.#h,this.#e,{
opened:(isResumed)=>this.#a({event:"linkOpened",with:{isResumed}}),
heard:()=>{
heardAt=this.now();
this.#a({event:"linkHeard"},heardAt);
},
gap:()=>this.#a({event:"linkGap"}),
delivered:(arrival)=>this.#db(arrival,heardAt),
current:()=>this.#e?.body??null,
lost:(pause)=>this.#dc(stream,pause),
retry:(ms)=>(this.#ar=ms),
wait:Math.max(0,this.#as - this.now()),
});
return stream;
}
#db(arrival,heardAt){
this.onArrival({...arrival,askedAt:heardAt,answeredAt:heardAt});
this.#bs("linkDelivered",{context:this.#u},this.#bt(arrival,true),heardAt);
}
#dc(stream,pause=null){
if(this.#v !==stream)return;
if(pause !==null)this.#n.asksForPause(pause);
this.#v=null;
this.#aw();
this.#as=this.now()+ this.#ar;
this.#a({event:"linkLost"});
}
#ag(){
const stream=this.#v;
this.#v=null;
stream?.close();
this.#aw();
}
#aw(){
const place=this.#o;
this.#o=null;
if(place !==null&&place.number !==null)this.#n.withdraw(place.number);
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
const m_status_match_list=(()=>{
const{newElement}=m_shared_dom;
const{dayInWords,localDay}=m_shared_moments;
function matchCard(match,{say,number,feedsAreSeveral}){
const card=newElement("article","match");
const wanted=match.matched + match.unmatched;
const share=newElement("p","match-share");
share.append(
newElement("strong","",wanted===0?"–":`${number((100 * match.matched)/ wanted,1)}\u00a0%`),
newElement("span","",say("matchSentence",{matched:number(match.matched),wanted:number(wanted),count:match.matched})),
);
if(feedsAreSeveral)card.append(newElement("h3","",match.feed));
card.append(share);
const found=[
match.byAffix>0?say("foundByAffix",{count:number(match.byAffix)}):null,
match.byStart>0?say("foundByStart",{count:number(match.byStart)}):null,
match.added>0?say("foundAdded",{count:number(match.added)}):null,
].filter(Boolean);
if(found.length>0)card.append(newElement("p","soft",found.join(" · ")));
if(match.hint){
const hint=newElement("p","grave-text",match.hint);
hint.lang="en";
card.append(hint);
}
if(match.reasons.length>0)card.append(reasons(match.reasons,say,number));
if(match.lines.length>0){
const names=match.lines.map(({line,unmatched})=>`${line} (${number(unmatched)})`).join(", ");
card.append(newElement("p","",say("unmatchedLines",{lines:names})));
}
return card;
}
function reasons(list,say,number){
const table=newElement("table");
const body=newElement("tbody");
const head=newElement("thead");
const names=newElement("tr");
names.append(...["reason","updates","examples"].map((name,index)=>{
const cell=newElement("th",index===1?"figure":"",say(`column-${name}`));
cell.scope="col";
return cell;
}));
head.append(names);
for(const{reason,count,examples}of list){
const row=newElement("tr");
const known=say(`reason-${reason}`);
const name=newElement("th","",known===`reason-${reason}`?reason:known);
name.scope="row";
const cell=newElement("td");
const items=newElement("ul");
items.append(...examples.map((example)=>{
const item=newElement("li");
item.append(newElement("code","",example));
return item;
}));
cell.append(items);
row.append(name,newElement("td","figure",number(count)),cell);
body.append(row);
}
table.append(head,body);
return table;
}
function verdictOnTimetable({daysLeft}){
return daysLeft<0?"grave":daysLeft<7?"warning":"good";
}
function timetableCard(timetable,{say,number,locale,now}){
const card=newElement("li","timetable-card");
card.dataset.level=verdictOnTimetable(timetable);
card.append(newElement("h3","",[timetable.publisher,timetable.publisher?null:timetable.feed].filter(Boolean).join(" ")));
const [from,until]=[timetable.validFrom,timetable.validUntil].map((day)=>dayInWords(day,locale));
const left=timetable.daysLeft<0?say("timetableOver"):say("daysLeft",{count:timetable.daysLeft,days:number(timetable.daysLeft)});
card.append(newElement("p","",`${from} – ${until} · ${left}`));
const bar=newElement("div","validity");
bar.setAttribute("aria-hidden","true");
const today=Date.parse(localDay(now,timetable.timezone));
const [first,last]=[Date.parse(timetable.validFrom),Date.parse(timetable.validUntil)];
const part=newElement("span");
part.style.width=`${Math.min(100,Math.max(0,(100 *(today - first))/ Math.max(last - first,1)))}%`;
bar.append(part);
card.append(bar);
const counts=["stops","routes","trips","departures"].map((name)=>say(`count-${name}`,{count:timetable[name],number:number(timetable[name])}));
card.append(newElement("p","soft",counts.join(" · ")));
const imported=new Date(timetable.importedAt).toLocaleString(locale,{dateStyle:"medium",timeStyle:"short",timeZone:timetable.timezone});
card.append(newElement("p","soft",[say("importedAt",{time:imported}),timetable.version?say("feedVersion",{version:timetable.version}):null].filter(Boolean).join(" · ")));
card.append(...standing(timetable,{say,number,locale}));
return card;
}
const NAMED=5;
function standing(timetable,{say,number,locale}){
const moment=(instant)=>new Date(instant).toLocaleString(locale,{dateStyle:"medium",timeStyle:"short",timeZone:timetable.timezone});
const found=[];
const{held,losses,source}=timetable;
if(held){
found.push(newElement("p","grave-text",say("timetableHeld")));
const known=say(`held-${held}`,{share:losses?`${number(losses.lostPercent,1)}\u00a0%`:"–"});
found.push(newElement("p","",known));
if(held==="losses"&&losses)found.push(lostLines(losses,{say,number,locale}));
const how=newElement("p","soft",say("heldHow"));
how.append(" ",newElement("code","","freshet feeds accept"));
found.push(how);
}
if(timetable.waiting){
const day=timetable.waitingFrom?dayInWords(timetable.waitingFrom,locale):null;
found.push(newElement("p","",day?say("timetableWaitsFor",{day}):say("timetableWaiting")));
}
if(source){
const asked=[say("sourceChecked",{time:moment(source.checkedAt)}),source.nextCheckAt?say("sourceNext",{time:moment(source.nextCheckAt)}):null];
found.push(newElement("p","soft",asked.filter(Boolean).join(" · ")));
if(source.state==="failing"){
found.push(newElement("p","grave-text",source.answeredAt?say("sourceFailing",{time:moment(source.answeredAt)}):say("sourceSilent")));
}
if(source.state==="refused")found.push(newElement("p","grave-text",say("sourceRefused")));
}
return found;
}
function lostLines({lines,losingLines},{say,number,locale}){
const list=newElement("ul","lost-lines");
const rows=lines.slice(0,NAMED).map(({line,before,lost,goneOn,isGone})=>{
const share=`${number((100 * lost)/ Math.max(before,1),1)}\u00a0%`;
const days=goneOn.slice(0,NAMED).map((day)=>dayInWords(day,locale)).join(", ")+(goneOn.length>NAMED?", …":"");
const what=isGone?say("lineGone"):goneOn.length>0?say("lineGoneOn",{days}):say("lineLoses",{share});
const row=newElement("li");
row.append(newElement("strong","",line),newElement("span","",what));
return row;
});
if(losingLines>rows.length)rows.push(newElement("li","soft",say("linesMore",{count:losingLines - rows.length,number:number(losingLines - rows.length)})));
list.append(...rows);
return list;
}
return{matchCard,verdictOnTimetable,timetableCard};
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
const m_status_time_plot=(()=>{
const{newElement,newShape,setAttribute,setText}=m_shared_dom;
const{clockTime,localDay}=m_shared_moments;
const [WIDTH,HEIGHT]=[1000,100];
const DAY_MS=86_400_000;
const GAP_STEPS=2.5;
const STEPS=[1,2,5];
const SPANS=[10,30,60,120,300,600,1200,1800,3600];
function roundUpSpan(seconds){
return SPANS.find((span)=>span>=seconds)??SPANS.at(-1);
}
function roundUp(value){
const power=10 ** Math.floor(Math.log10(Math.max(value,1e-9)));
return(STEPS.find((step)=>step * power>=value)??10)* power;
}
class TimePlot{
#ax=newShape("line",{class:"plot-cursor",y1:0,y2:HEIGHT});
#ab=newElement("p","plot-read");
#ac=null;
constructor({title,note=null,isWide=false}){
this.words={title,note};
this.root=newElement("article","plot-card");
if(isWide)this.root.dataset.wide="";
const head=newElement("div","plot-head");
this.title=newElement("h3");
this.now=newElement("p","plot-now");
head.append(this.title,this.now);
this.note=newElement("p","plot-note");
this.legend=newElement("ul","plot-legend");
this.area=newElement("div","plot-area");
this.details=newElement("details");
this.summary=newElement("summary");
this.table=newElement("div","plot-table");
this.table.tabIndex=0;
this.table.setAttribute("role","region");
this.details.append(this.summary,this.table);
this.root.append(head,this.note,this.legend,this.area,this.details);
this.area.addEventListener("pointermove",(event)=>this.#bw(event));
this.area.addEventListener("pointerleave",()=>this.#bw(null));
this.details.addEventListener("toggle",()=>this.details.open&&this.#bx());
}
show(data){
this.#ac=data;
const{say}=data;
setText(this.title,say(this.words.title));
setText(this.note,this.words.note?say(this.words.note,data.noteValues):"");
this.note.hidden=!this.words.note;
setText(this.now,data.now??"");
setText(this.summary,say("asTable"));
this.table.setAttribute("aria-label",say(this.words.title));
const shown=data.series.filter(({kind})=>kind !=="hidden");
this.legend.hidden=shown.length<2;
this.legend.replaceChildren(...shown.map(({name,colour,kind})=>{
const item=newElement("li","",name);
item.dataset.mark=kind;
item.style.setProperty("--key",kind==="band"?"var(--plot-band)":colour);
return item;
}));
this.#dd(data);
if(this.details.open)this.#bx();
}
#dd({rows,series,from,to,step,top,most=Infinity,round=roundUp,limit,unit,zone,say,summary}){
const stacks=series.some(({kind})=>kind==="bar");
const sums=rows.map(({values})=>stacks
?series.reduce((sum,{kind,place})=>sum +(kind==="bar"?values[place]??0:0),0)
:Math.max(0,...values.filter((value)=>value !==null)));
const peak=Math.max(0,...sums);
const scale=Math.min(most,round(Math.max(peak,top)));
const x=(at)=>((at - from)/(to - from))* WIDTH;
const y=(value)=>HEIGHT -(Math.min(value,scale)/ scale)* HEIGHT;
const picture=newShape("svg",{viewBox:`0 0 ${WIDTH} ${HEIGHT}`,preserveAspectRatio:"none",role:"img"});
picture.setAttribute("aria-label",`${say(this.words.title)}. ${summary??""}`);
const labels=[];
for(const share of [0,0.5,1]){
picture.append(newShape("line",{class:"plot-grid",x1:0,x2:WIDTH,y1:y(share * scale),y2:y(share * scale)}));
labels.push(tick("y",unit(share * scale),{bottom:`${share * 100}%`}));
}
for(const{at,text}of timeTicks(from,to,zone,say))labels.push(tick("x",text,{left:`${x(at)/ 10}%`}));
if(limit&&limit<scale)picture.append(newShape("line",{class:"plot-limit-line",x1:0,x2:WIDTH,y1:y(limit),y2:y(limit)}));
const known=rows.filter(({values})=>values.some((value)=>value !==null));
for(const each of series){
if(each.kind==="band")picture.append(newShape("path",{class:"plot-band",d:band(known,each,step,x,y)}));
}
for(const each of series){
if(each.kind==="line"){
const path=newShape("path",{class:"plot-path",d:line(known,each.place,step,x,y)});
path.style.setProperty("--key",each.colour);
picture.append(path);
}
}
if(stacks)this.#de(picture,{rows,series,step,x,y});
picture.append(this.#ax);
const empty=known.length===0?[newElement("p","plot-empty",say("nothingKnown"))]:[];
this.area.replaceChildren(picture,...labels,...empty,this.#ab);
}
#de(picture,{rows,series,step,x,y}){
const paths=new Map(series.filter(({kind})=>kind==="bar").map((each)=>[each,""]));
for(const{at,values}of rows){
let below=0;
const [left,right]=[Math.max(x(at),0),Math.min(Math.max(x(at + step)- 0.6,x(at)+ 0.6),WIDTH)];
for(const [each,path] of paths){
const value=values[each.place]??0;
if(value===0)continue;
paths.set(each,`${path}M${left.toFixed(1)} ${y(below).toFixed(2)}V${y(below + value).toFixed(2)}H${right.toFixed(1)}V${y(below).toFixed(2)}Z`);
below +=value;
}
}
for(const [{colour},d] of paths){
if(!d)continue;
const bars=newShape("path",{class:"plot-bar",d});
bars.style.setProperty("--key",colour);
picture.append(bars);
}
}
#bw(event){
const data=this.#ac;
const box=this.area.getBoundingClientRect();
const at=event&&data?data.from +((event.clientX - box.left)/ box.width)*(data.to - data.from):null;
const row=at===null?null:data.rows.findLast((each)=>each.at<=at&&at<each.at + data.step * GAP_STEPS);
for(const node of [this.#ax,this.#ab])node.style.visibility=row?"visible":"hidden";
if(!row)return;
const x=((row.at + data.step / 2 - data.from)/(data.to - data.from))* WIDTH;
for(const name of ["x1","x2"])setAttribute(this.#ax,name,x.toFixed(1));
setText(this.#ab,[whenOf(row.at,data),...this.#df(row)].join("\n"));
const isLeft=x>WIDTH / 2;
this.#ab.style.left=isLeft?"auto":`calc(${x / 10}% + .5rem)`;
this.#ab.style.right=isLeft?`calc(${100 - x / 10}% + .5rem)`:"auto";
}
#df({values}){
return this.#ac.series.filter(({place})=>place !==undefined&&values[place] !==null)
.map(({name,place})=>`${name}: ${this.#ac.unit(values[place])}`);
}
#bx(){
const data=this.#ac;
if(!data)return;
const columns=data.series.filter(({place})=>place !==undefined);
const table=newElement("table");
const head=newElement("tr");
head.append(newElement("th","",data.say("time")),...columns.map(({name})=>newElement("th","figure",name)));
table.append(newElement("thead"),newElement("tbody"));
table.tHead.append(head);
for(const row of [...data.rows].reverse()){
const line=newElement("tr");
line.append(newElement("th","",whenOf(row.at,data)));
line.append(...columns.map(({place})=>newElement("td","figure",row.values[place]===null?"–":data.unit(row.values[place]))));
table.tBodies[0].append(line);
}
this.table.replaceChildren(table);
}
}
function whenOf(at,{zone,step,to,from,say}){
const time=clockTime(at,zone);
return to - from>DAY_MS * 1.5||step>=DAY_MS?`${weekday(at,zone,say)} ${time}`:time;
}
function weekday(at,zone,say){
const day=new Date(`${localDay(at,zone)}T12:00:00Z`).getUTCDay();
return say("weekdays").split(" ")[day];
}
function tick(axis,text,style){
const label=newElement("span","plot-tick",text);
label.dataset.axis=axis;
label.setAttribute("aria-hidden","true");
Object.assign(label.style,style);
return label;
}
function timeTicks(from,to,zone,say){
const isLong=to - from>DAY_MS * 1.5;
const ticks=[];
const hour=3_600_000;
for(let at=Math.ceil(from / hour)* hour;at<to;at +=hour){
const time=clockTime(at,zone);
if(isLong?time==="00:00":Number(time.slice(0,2))% 6===0&&time.endsWith(":00")){
const share=(at - from)/(to - from);
if(share>0.02&&share<0.98)ticks.push({at,text:isLong?weekday(at,zone,say):time});
}
}
return ticks;
}
function segments(rows,isKnown,step){
const found=[];
let before=null;
for(const row of rows){
if(!isKnown(row))continue;
if(before===null||row.at - before>step * GAP_STEPS)found.push([]);
found.at(-1).push(row);
before=row.at;
}
return found;
}
function line(rows,place,step,x,y){
return segments(rows,({values})=>values[place] !==null,step).map((part)=>{
const points=part.map(({at,values})=>`${x(at + step / 2).toFixed(1)} ${y(values[place]).toFixed(2)}`);
if(points.length===1)points.push(`${x(part[0].at + step).toFixed(1)} ${y(part[0].values[place]).toFixed(2)}`);
return `M${points.join("L")}`;
}).join("");
}
function band(rows,{low,high},step,x,y){
return segments(rows,({values})=>values[low] !==null&&values[high] !==null,step).map((part)=>{
const side=(place,list)=>list.map(({at,values})=>`${x(at + step / 2).toFixed(1)} ${y(values[place]).toFixed(2)}`);
return `M${[...side(high,part),...side(low,[...part].reverse())].join("L")}Z`;
}).join("");
}
return{roundUpSpan,roundUp,TimePlot};
})();
const m_status_plots=(()=>{
const{duration}=m_shared_moments;
const{OTHERS,SHARES}=m_status_shares;
const{roundUpSpan,TimePlot}=m_status_time_plot;
const COLOURS=["var(--plot-line)","var(--plot-second)","var(--on-time)","var(--called-off)","var(--up-to-5)","var(--over-10)"];
class Plots{
constructor(root){
this.plots={
delays:new TimePlot({title:"plotDelays",note:"plotDelaysNote",isWide:true}),
age:new TimePlot({title:"plotAge",note:"plotAgeNote"}),
served:new TimePlot({title:"plotServed",note:"plotServedNote"}),
coverage:new TimePlot({title:"plotCoverage",note:"plotCoverageNote"}),
missing:new TimePlot({title:"plotMissing",note:"plotMissingNote"}),
};
root.append(...Object.values(this.plots).map((plot)=>plot.root));
}
show(known,words){
const base={from:known.from,to:known.to,step:known.step,zone:words.zone,say:words.say};
const of=(kind)=>known.series.filter((series)=>series.kind===kind);
this.#dg(of("trip-updates"),base,words);
this.#dh(of("served"),base,words);
this.#di(of("departures"),base,words);
this.#dj(of("trip-updates"),of("departures"),base,words);
}
#dg(sources,base,{say,staleSec,feedsAreSeveral}){
const rows=joined(sources,(point)=>[point?.ageMeanSec??null,point?.ageMinSec??null,point?.ageMaxSec??null],3);
const isOne=sources.length===1;
const series=sources.flatMap((source,index)=>{
const name=isOne?say("mean"):nameOf(source,say,feedsAreSeveral);
const place=index * 3;
const mean={name,place,colour:COLOURS[index % COLOURS.length],kind:"line"};
if(!isOne)return [mean];
return [{name:say("fromTo"),kind:"band",low:place + 1,high:place + 2},mean,
{name:say("greatest"),place:place + 2,colour:COLOURS[0],kind:"hidden"}];
});
const last=rows.at(-1)?.values[0]??null;
const most=Math.max(0,...rows.flatMap(({values})=>values.filter((value)=>value !==null)));
this.plots.age.show({
...base,rows,series,top:30,most:1200,round:roundUpSpan,limit:staleSec,unit:seconds,noteValues:{limit:duration(staleSec)},
now:last===null?"":`⌀ ${seconds(last)}`,summary:rows.length?say("plotSummary",{last:seconds(last??0),most:seconds(most)}):"",
});
}
#dh(sources,base,{say}){
const rows=joined(sources,(point)=>[point?.ageMedianSec??null,point?.ageP90Sec??null],2);
const series=sources.length===0?[]:[
{name:say("median"),place:0,colour:COLOURS[0],kind:"line"},{name:say("p90"),place:1,colour:COLOURS[1],kind:"line"},
];
const last=rows.at(-1)?.values[0]??null;
const most=Math.max(0,...rows.flatMap(({values})=>values.filter((value)=>value !==null)));
this.plots.served.show({
...base,rows,series,top:30,most:1200,round:roundUpSpan,unit:seconds,now:last===null?"":seconds(last),
summary:rows.length?say("plotSummary",{last:seconds(last??0),most:seconds(most)}):"",
});
}
#di(feeds,base,{say,number}){
const shares=[...SHARES,...OTHERS];
const rows=summed(feeds,shares.map(([name])=>name));
const series=shares.map(([name,colour],place)=>({name:say(`share-${name}`),place,colour,kind:"bar"}));
const total=(names)=>rows.reduce((sum,{values})=>sum + names.reduce((part,name)=>part + values[shares.findIndex(([one])=>one===name)],0),0);
const predicted=total(SHARES.map(([name])=>name));
const punctual=predicted>0?`${number((100 * total(["onTime","upTo3"]))/ predicted,1)}\u00a0%`:"";
const unit=(value)=>number(Math.round(value));
this.plots.delays.show({
...base,rows,series,top:10,unit,now:punctual?say("punctualShare",{share:punctual}):"",summary:punctual?say("punctualShare",{share:punctual}):"",
});
const missing=summed(feeds,["tripsMissing"]);
const count=missing.reduce((sum,{values})=>sum + values[0],0);
this.plots.missing.show({
...base,rows:missing,series:feeds.length?[{name:say("column-missingTrips"),place:0,colour:"var(--over-10)",kind:"bar"}]:[],top:5,unit,
now:feeds.length?unit(count):"",summary:say("missingSummary",{count:unit(count)}),
});
}
#dj(sources,feeds,base,{say,number}){
const ends=new Map();
const at=(time)=>ends.get(time)??ends.set(time,[null,null]).get(time);
for(const source of sources){
for(const point of source.points){
if(point.matchedPercent==null)continue;
const values=at(Date.parse(point.at));
values[0]=Math.min(values[0]??100,point.matchedPercent);
}
}
for(const{at:time,values}of summed(feeds,[...SHARES.map(([name])=>name),"cancelled","unpredicted"])){
const all=values.reduce((sum,value)=>sum + value,0);
if(all>0)at(time)[1]=(100 *(all - values.at(-1)))/ all;
}
const rows=[...ends].sort(([one],[other])=>one - other).map(([time,values])=>({at:time,values}));
const unit=(value)=>`${number(value,value % 1===0?0:1)}\u00a0%`;
const last=rows.findLast(({values})=>values[1] !==null)?.values[1]??null;
this.plots.coverage.show({
...base,rows,top:100,most:100,unit,now:last===null?"":unit(last),
series:rows.length===0?[]:[
{name:say("coveredDepartures"),place:1,colour:COLOURS[0],kind:"line"},{name:say("matchedUpdates"),place:0,colour:COLOURS[1],kind:"line"},
],
summary:last===null?"":`${say("coveredDepartures")}: ${unit(last)}`,
});
}
}
function seconds(value){
return value<10&&value % 1 !==0?`${value.toFixed(1)}\u00a0s`:value<120?`${Math.round(value)}\u00a0s`:duration(value);
}
function nameOf(source,say,feedsAreSeveral){
return [say(`kind-${source.kind}`),String(source.number),feedsAreSeveral?`(${source.feed})`:""].filter(Boolean).join(" ");
}
function joined(series,valuesOf,width){
const rows=new Map();
series.forEach((one,index)=>{
for(const point of one.points){
const at=Date.parse(point.at);
if(!rows.has(at))rows.set(at,Array(series.length * width).fill(null));
rows.get(at).splice(index * width,width,...valuesOf(point));
}
});
return [...rows].sort(([one],[other])=>one - other).map(([at,values])=>({at,values}));
}
function summed(series,names){
const rows=new Map();
for(const one of series){
for(const point of one.points){
const at=Date.parse(point.at);
const values=rows.get(at)??rows.set(at,names.map(()=>0)).get(at);
names.forEach((name,place)=>(values[place] +=point[name]??0));
}
}
return [...rows].sort(([one],[other])=>one - other).map(([at,values])=>({at,values}));
}
return{Plots};
})();
const m_status_source_list=(()=>{
const{newElement,newSign,setAttribute,setText}=m_shared_dom;
const{duration}=m_shared_moments;
const SIGNS={good:"live",warning:"reduced",grave:"failing"};
function verdictOn(source,now,{freshSec,staleSec}){
const age=source.sourceTime?(now - Date.parse(source.sourceTime))/ 1000:null;
const limit=source.kind==="alerts"?Infinity:staleSec;
if(age===null)return{level:"grave",word:source.state==="failing"?"stateFailing":"stateSilent",age};
if(age>limit)return{level:"grave",word:source.state==="failing"?"stateFailing":"stateStale",age};
if(source.state==="failing")return{level:"warning",word:"stateFailing",age};
const slow=source.kind==="alerts"?Infinity:Math.max(freshSec,2 *(source.periodSec??0));
if(age>slow)return{level:"warning",word:"stateLate",age};
return{level:"good",word:"stateLive",age};
}
function nameOf(source,{sources,timetables},say){
const of=sources.filter(({kind,feed})=>kind===source.kind&&feed===source.feed).length;
return [say(`kind-${source.kind}`),of>1?String(source.number):"",timetables.length>1?`(${source.feed})`:""].filter(Boolean).join(" ");
}
class SourceList{
#ay=[];
constructor(list){
this.list=list;
}
show(status,words){
const{say,number}=words;
this.#ay=status.sources.map((source)=>{
const root=newElement("li","source");
const title=newElement("div");
const state=newElement("p","source-state");
const sign=newSign("live");
const word=newElement("span");
state.append(sign,word);
title.append(newElement("h3","",nameOf(source,status,say)),state);
const age=newElement("p","source-age");
const facts=newElement("dl","source-facts");
const wanted=(source.matched??0)+(source.unmatched??0);
const entries=[
["factEntities",source.entities==null?"–":number(source.entities)],
...(wanted>0?[["factMatched",`${number((100 * source.matched)/ wanted,1)}\u00a0%`]]:[]),
["factPeriod",source.periodSec?duration(source.periodSec):"–"],
["factPolls",`${number(source.pollsFailed)} / ${number(source.polls)}`],
];
for(const [label,value] of entries){
const pair=newElement("div");
pair.append(newElement("dt","",say(label)),newElement("dd","",value));
facts.append(pair);
}
root.append(title,age,facts);
if(source.lastError)root.append(newElement("p","grave-text",source.lastError));
return{source,root,age,word,sign};
});
this.list.replaceChildren(...this.#ay.map(({root})=>root));
}
tick(now,status,say){
for(const{source,root,age,word,sign}of this.#ay){
const verdict=verdictOn(source,now,status);
setAttribute(root,"data-level",verdict.level);
setText(word,say(verdict.word));
setAttribute(sign.firstElementChild,"href",`#sign-${SIGNS[verdict.level]}`);
const text=verdict.age===null?"–":duration(Math.max(0,verdict.age));
if(age.dataset.text===text)continue;
age.dataset.text=text;
age.replaceChildren(text,newElement("small","",say("ageOfSource")));
}
}
}
return{verdictOn,nameOf,SourceList};
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
#az="";
#ah=[];
#r="";
#ba=0;
#by=null;
feed(text){
const events=[];
let rest=this.#az + text;
const held=rest.endsWith("\r")?"\r":"";
if(held)rest=rest.slice(0,-1);
const lines=rest.split(/\r\n|\n|\r/);
this.#az=lines.pop()+ held;
for(const line of lines)this.#dk(line,events);
if(this.#ba + this.#az.length>LONGEST_EVENT)throw new RangeError("the event is too long");
return events;
}
#dk(line,events){
if(line==="")return this.#dl(events);
if(line.startsWith(":"))return;
const colon=line.indexOf(":");
const field=colon<0?line:line.slice(0,colon);
const value=colon<0?"":line.slice(colon + 1).replace(/^ /,"");
if(field==="data")this.#ah.push(value);
if(field==="event")this.#r=value;
if(field==="retry"&&/^[0-9]+$/.test(value))this.retry=Math.min(Number(value),LONGEST_RETRY_MS);
if(field==="id"&&!value.includes("\0"))this.#by=value;
this.#ba +=line.length;
}
#dl(events){
if(this.#ah.length>0)events.push({name:this.#r||"message",id:this.#by,data:this.#ah.join("\n")});
[this.#ah,this.#r,this.#ba]=[[],"",0];
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
#bb=new AbortController();
constructor(listener){
this.listener=listener;
}
async run(read,address,options={}){
const tell=(act)=>this.#bb.signal.aborted||act();
const lastId=options.lastId??null;
let pause=null;
try{
await read(address,{
...options,
lastId,
signal:this.#bb.signal,
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
this.#bb.abort();
}
}
return{ResourceStream};
})();
const m_engine_web_socket=(()=>{
const{pause}=m_engine_event_stream;
const LONGEST_MESSAGE=8_000_000;
async function readWebSocket(address,{protocols=[],signal,wait=0,Socket=WebSocket,onOpen,onLife,onEvent}){
if(wait>0)await pause(wait,signal);
signal?.throwIfAborted();
const url=new URL(address,globalThis.location?.href);
url.protocol=url.protocol.replace(/^http/,"ws");
const socket=new Socket(url.href,protocols);
const close=()=>socket.close();
signal?.addEventListener("abort",close,{once:true});
try{
await new Promise((resolve,reject)=>{
const take=({data})=>{
onLife();
if(typeof data !=="string")return;
if(data.length>LONGEST_MESSAGE)throw new RangeError("the message is too long");
onEvent({name:"message",id:null,data});
};
socket.onopen=()=>onOpen();
socket.onmessage=(message)=>{
try{
take(message);
}catch(failure){
reject(failure);
}
};
socket.onerror=()=>reject(new TypeError("the WebSocket failed"));
socket.onclose=({code})=>(code===1000?resolve():reject(new TypeError(`the WebSocket closed: ${code}`)));
});
}finally{
signal?.removeEventListener("abort",close);
[socket.onopen,socket.onmessage,socket.onerror,socket.onclose]=[null,null,null,null];
close();
}
}
return{readWebSocket};
})();
const m_engine_value_stream=(()=>{
const{readEventStream}=m_engine_event_stream;
const{instant,truncationOf}=m_engine_marks;
const{ResourceStream}=m_engine_resource_stream;
const{readWebSocket}=m_engine_web_socket;
const LATEST_TIME=8.64e15;
const wholeValue=({data})=>({value:JSON.parse(data)});
function timeOf(value){
const time=typeof value==="string"?instant(value)??NaN:Number(value);
return Math.abs(time)<=LATEST_TIME?Math.trunc(time):null;
}
function spanOf(value){
const span=typeof value==="string"&&value.trim()===""?NaN:Number(value);
return Number.isFinite(span)?Math.max(0,Math.min(Math.trunc(span),LATEST_TIME)):0;
}
class ValueStream extends ResourceStream{
#bz;
constructor({address,transport="events",reduce=wholeValue,resumes=false,protocols},{lastId,headers,client,keepId},listener){
super(listener);
this.#bz=reduce;
this.keepId=keepId;
if(transport==="webSocket")this.run(readWebSocket,String(address),{protocols,Socket:client.Socket});
else this.run(readEventStream,String(address),{fields:headers,send:client.send,lastId:resumes?lastId:null});
}
take(event){
const made=this.#bz(event,this.listener.current());
if(made==null)return;
if(made==="gap")return this.listener.gap();
if(event.id !==null)this.keepId(event.id);
const bytes=event.data.length;
const marks={status:"applied",...marksOf(made)};
if(made==="unchanged")return this.deliver("unchanged",{bytes,marks});
this.deliver("content",{body:made.value,tag:made.tag??null,bytes,marks});
}
}
function marksOf({madeAt=null,serverTime=null}={}){
const marks={};
const [made,now]=[madeAt,serverTime].map((time)=>(time==null?null:timeOf(time)));
if(made !==null)Object.assign(marks,{fetchedAt:made,cacheAge:null});
if(now===null)return marks;
const isWhole=typeof serverTime==="string"?truncationOf(serverTime)>0:now % 1000===0;
return{...marks,serverTime:now,truncation:isWhole?999:0};
}
return{timeOf,spanOf,ValueStream,marksOf};
})();
const m_status_status_source=(()=>{
const{ValueStream}=m_engine_value_stream;
const ADDRESS="/api/status";
function statusSource(){
return{
isSame:()=>true,
address:()=>ADDRESS,
read:(document,headers)=>({body:document,tag:headers.get("etag")}),
openStream:(_,copy,listener)=>new ValueStream(
{address:`${ADDRESS}/events`},
{value:copy?.body??null,lastId:null,headers:{},client:{send:(...request)=>fetch(...request)},keepId:()=>{}},
listener,
),
contentOf:(body)=>JSON.stringify(body),
natureOf:()=>({hasRealtime:true,activity:"active"}),
subjectOf:()=>null,
fields:()=>({}),
marks:{status:"applied"},
};
}
return{statusSource};
})();
const m_shared_announcer=(()=>{
const{element,setText}=m_shared_dom;
const LEAST_GAP_MS=20_000;
class Announcer{
#ca=-LEAST_GAP_MS;
#dm=element("announcement");
say(sentence,{now,urgent=false}){
if(!sentence||(!urgent&&now - this.#ca<LEAST_GAP_MS))return false;
this.#ca=now;
setText(this.#dm,sentence);
return true;
}
}
return{Announcer};
})();
const m_engine_clock=(()=>{
const SLEPT_FROM_MS=5000;
class SteadyClock{
#cb=performance.now();
#cc=Date.now();
now(){
return performance.now();
}
notice(){
const [steady,wall]=[performance.now(),Date.now()];
const gap=wall - this.#cc -(steady - this.#cb);
[this.#cb,this.#cc]=[steady,wall];
return gap>=SLEPT_FROM_MS;
}
}
const steadyClock=new SteadyClock();
class ServerClock{
#k=Date.now()- steadyClock.now();
#cd=false;
learn(serverTime,{askedAt,answeredAt}){
if(serverTime===null)return;
const middle=(askedAt + answeredAt)/ 2;
const believed=middle + this.#k;
const isWithin=this.#cd&&serverTime % 1000===0&&believed>=serverTime&&believed<serverTime + 1000;
if(!isWithin)this.#k=serverTime - middle;
this.#cd=true;
}
learnFrom(arrival){
if(arrival.outcome==="content"||arrival.outcome==="unchanged")this.learn(arrival.marks.serverTime??null,arrival);
}
now(){
return steadyClock.now()+ this.#k;
}
at(steady){
return steady + this.#k;
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
#bc=new Set();
#ai=null;
#aj=null;
#ce=new AbortController();
constructor(){
this.#ak();
if(typeof document==="undefined")return;
const{signal}=this.#ce;
const hears=(target,name,heard)=>target?.addEventListener?.(name,heard,{signal});
hears(document,"visibilitychange",()=>this.#ak());
hears(document,"freeze",()=>this.#bd("suspended"));
hears(document,"resume",()=>this.#ak());
hears(globalThis,"pagehide",()=>this.#bd("suspended"));
hears(globalThis,"pageshow",()=>this.#ak());
hears(globalThis,"focus",()=>this.#a({event:"focused"}));
for(const name of ["online","offline"])hears(globalThis,name,()=>this.#be());
hears(globalThis.navigator?.connection,"change",()=>this.#be());
}
close(){
this.#ce.abort();
}
now(){
return steadyClock.now();
}
get lifecycle(){
return this.#ai;
}
get connectivity(){
return this.#aj;
}
listen(listener){
listener({event:"lifecycle",with:{to:this.#ai}});
listener({event:"connectivity",with:{to:this.#aj}});
this.#bc.add(listener);
return()=>this.#bc.delete(listener);
}
tick(){
if(steadyClock.notice())this.#a({event:"slept"});
}
#ak(){
this.#bd(globalThis.document?.hidden?"background":"foreground");
this.#be();
}
#bd(to){
if(this.#ai===to)return;
this.#ai=to;
this.#a({event:"lifecycle",with:{to}});
}
#be(){
const{onLine,connection}=globalThis.navigator??{};
const to=onLine===false?"offline":connection?.saveData?"metered":"online";
if(this.#aj===to)return;
this.#aj=to;
this.#a({event:"connectivity",with:{to}});
}
#a(event){
for(const listener of this.#bc)listener(event);
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
#cf;
#cg=null;
constructor({modules,language,messages}){
this.#cf=modules;
this.language=language;
this.messages=messages;
this.device=new Device();
this.clock=new ServerClock();
this.announcer=new Announcer();
const theme=new URLSearchParams(location.search).get("theme");
this.theme=THEMES.includes(theme)?theme:memory.read("theme")??"auto";
this.say=sentences(language,messages);
for(const id of ["settings","help"])makeDialog(element(id));
element("language").addEventListener("change",(event)=>this.#dn(event.target.value));
element("theme").addEventListener("change",(event)=>this.#al("theme","theme",event.target.value));
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
async #dn(language){
this.#cg=language;
const messages=await loadMessages(this.#cf,language).catch(()=>null);
if(this.#cg !==language)return;
if(!messages)return void(element("language").value=this.language);
this.messages=messages;
this.#al("language","lang",language);
}
#al(name,parameter,value){
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
const m_status_page=(()=>{
const{element,newElement,partsOf,setAttribute,setSign,setText}=m_shared_dom;
const{freshnessLine}=m_shared_freshness_line;
const{Engine}=m_engine_freshness;
const{HistoryPoints}=m_status_history_points;
const{keysAreOn}=m_shared_keys;
const{delayInWords,missingLines,worstLines}=m_status_line_list;
const{LiveResource}=m_engine_live_resource;
const{matchCard,timetableCard,verdictOnTimetable}=m_status_match_list;
const{nextQuestion}=m_engine_next_question;
const{Plots}=m_status_plots;
const{nameOf,SourceList,verdictOn}=m_status_source_list;
const{statusSource}=m_status_status_source;
const{begin,WorkPage}=m_shared_work_page;
const WASM="/assets/freshness.04b2dcc28d54.wasm";
const MESSAGES={
fr:()=>later("/assets/messages-fr-status.3cf1ba2af908.js",loaded),
de:()=>later("/assets/messages-de-status.e0ec0537931c.js",loaded),
it:()=>later("/assets/messages-it-status.57cde4bc1fc3.js",loaded),
en:()=>later("/assets/messages-en-status.bd8672e691d6.js",loaded),
};
const POLICY={preset:"workspaces",push:{heartbeat:15_000}};
const SIGNS={live:"live",ageing:"live",reduced:"reduced",stale:"reduced",held:"reduced",loading:"loading",offline:"offline",failing:"failing"};
const LEVELS=["good","warning","grave"];
const LEVEL_SIGNS={good:"done",warning:"reduced",grave:"failing"};
class StatusPage extends WorkPage{
#am=null;
#bf=null;
constructor(engine,words){
super(words);
this.root=element("status-page");
this.parts=partsOf(this.root);
this.sources=new SourceList(this.parts.sources);
this.plots=new Plots(this.parts.plots);
this.points=new HistoryPoints(()=>this.#ch());
const onArrival=(arrival)=>this.clock.learnFrom(arrival);
this.live=new LiveResource(statusSource(),{engine,policy:POLICY,device:this.device,onChange:()=>this.#ci(),onArrival});
this.parts.refresh.addEventListener("click",()=>this.#cj());
for(const button of this.root.querySelectorAll("[data-range]"))button.addEventListener("click",()=>this.#al(button.dataset.range));
this.speak();
this.live.watch({});
}
#cj(){
this.live.refresh();
if(this.live.body)this.points.ask();
}
#al(range){
for(const button of this.root.querySelectorAll("[data-range]"))setAttribute(button,"aria-pressed",String(button.dataset.range===range));
this.points.choose(range);
}
actOf(event){
if(!keysAreOn())return null;
return{r:()=>this.#cj(),"?":()=>this.help()}[event.key]??null;
}
speak(){
super.speak();
document.title=this.say("statusPage");
this.#ci();
this.#ch();
}
get #ck(){
const status=this.live.body;
return{
say:this.say,
locale:this.locale,
number:(value,digits=0)=>Number(value).toLocaleString(this.locale,{minimumFractionDigits:digits,maximumFractionDigits:digits}),
feedsAreSeveral:(status?.timetables.length??0)>1,
zone:status?.timetables[0]?.timezone??"UTC",
staleSec:status?.staleSec??180,
now:this.#l,
};
}
get #l(){
const status=this.live.body;
const age=this.live.look()?.label.age??0;
return status?Date.parse(status.servedAt)+ age:this.clock.now();
}
#ci(){
const status=this.live?.body;
if(status){
const words=this.#ck;
this.points.begin(this.#l);
this.sources.show(status,words);
this.parts.nosources.hidden=status.sources.length>0;
const worst=status.today.flatMap((today)=>today.worst).sort((one,other)=>(one.punctualPercent??100)-(other.punctualPercent??100));
const missing=status.today.flatMap((today)=>today.missing).sort((one,other)=>other.tripsMissing - one.tripsMissing);
this.parts.worst.replaceChildren(worstLines(worst,words));
this.parts.missing.replaceChildren(missingLines(missing,words));
const matches=status.matches.map((match)=>matchCard(match,words));
this.parts.matches.replaceChildren(...(matches.length>0?matches:[newElement("p","soft",this.say("noMatches"))]));
this.parts.timetables.replaceChildren(...status.timetables.map((timetable)=>timetableCard(timetable,words)));
this.#do(status,words);
}
this.tick();
}
#do(status,{number}){
const{say}=this;
const sum=(name)=>status.today.reduce((total,{total:counts})=>total + counts[name],0);
const predicted=sum("predicted");
const observed=sum("departures")- sum("unobserved");
const percent=(part,whole)=>(whole>0?[number((100 * part)/ whole,1),"%"]:["–",""]);
const medians=status.today.map(({total})=>total.medianDelaySec).filter((value)=>value !=null);
const tiles=status.today.length===0?[]:[
[say("tilePunctual"),percent(sum("onTime")+ sum("upTo3"),predicted),say("tilePunctualNote",{count:number(predicted)})],
[say("tileMedian"),[medians.length===1?delayInWords(medians[0]):"–","min"],say("tileMedianNote",{delay:delayInWords(status.today[0].total.p90DelaySec)})],
[say("tileCovered"),percent(observed - sum("unpredicted"),observed),say("tileCoveredNote",{count:number(observed)})],
[say("tileMissing"),[number(sum("tripsMissing")),""],say("tileMissingNote",{count:number(sum("trips")),cancelled:number(sum("tripsCancelled"))})],
];
this.parts.tiles.replaceChildren(...tiles.map(([name,[value,unit],note])=>{
const tile=newElement("div","tile");
const number=newElement("dd","",value);
if(unit&&value !=="–")number.append("\u00a0",newElement("small","",unit));
tile.append(newElement("dt","",name),number,newElement("dd","tile-note",note));
return tile;
}));
}
#ch(){
const known=this.points?.known;
const{nohistory,plots}=this.parts;
const isShown=Boolean(known?.series);
plots.hidden=!isShown;
nohistory.hidden=isShown||!known;
if(known&&!isShown)setText(nohistory,this.say(known.isOff?"historyOff":"historyFails"));
if(isShown)this.plots.show(known,this.#ck);
}
tick(){
const status=this.live?.body;
if(status){
this.points.begin(this.#l);
this.sources.tick(this.#l,status,this.say);
this.#dp(status);
}
this.#dq();
}
#dp(status){
const{say}=this;
const verdicts=status.sources.map((source)=>({source,...verdictOn(source,this.#l,status)}));
const bad=verdicts.filter(({level})=>level !=="good");
const warnings=[
...bad.map(({source,word})=>["grave",`${nameOf(source,status,say)}: ${say(word)}${source.lastError?` – ${source.lastError}`:""}`]),
...status.matches.filter((match)=>match.status !=="ok").map((match)=>["warning",say(`match-${match.status}`)]),
...status.timetables.filter((one)=>verdictOnTimetable(one)!=="good").map((one)=>[verdictOnTimetable(one),one.daysLeft<0?say("timetableOver"):say("timetableEnds",{count:one.daysLeft,days:one.daysLeft})]),
...status.timetables.filter(({held})=>held).map(()=>["warning",say("timetableHeld")]),
...status.timetables.filter(({source})=>source&&source.state !=="ok").map(({source})=>["warning",say(source.state==="refused"?"sourceRefused":"verdictStatic")]),
...(status.timetables.length===0?[["grave",say("failedNoTimetable")]]:[]),
...(status.history&&!status.history.isWritten?[["warning",say("historyNotWritten")]]:[]),
];
const levels=[...verdicts.map(({level})=>level),...warnings.slice(bad.length).map(([level])=>level)];
const level=LEVELS.findLast((one)=>levels.includes(one))??"good";
const good=status.sources.length===0?say("verdictTimetable"):say("verdictGood",{count:status.sources.length});
const text=warnings.length===0?good:bad.length>0?say("verdictSources",{count:bad.length,all:status.sources.length}):say("verdictWarning");
this.parts.verdict.hidden=false;
setAttribute(this.parts.verdict,"data-level",level);
setSign(this.parts.verdictsign,LEVEL_SIGNS[level]);
setText(this.parts.verdicttext,text);
const written=warnings.map(([,sentence])=>sentence).join("\n");
if(this.parts.warnings.dataset.written !==written){
this.parts.warnings.dataset.written=written;
this.parts.warnings.replaceChildren(...warnings.map(([,sentence])=>newElement("li","",sentence)));
}
if(this.#bf !==null&&this.#bf !==level)this.announcer.say(text,{now:this.device.now(),urgent:level==="grave"});
this.#bf=level;
}
#dq(){
const look=this.live?.look();
if(!look)return;
const steady=this.device.now();
const retryIn=look.nextCause==="outstanding"?0:nextQuestion({look,now:steady}).wait;
const{problem}=this.live.failure??{};
const line=freshnessLine({look,problem,retryIn,saved:null,shownAt:null,zone:null},this.say);
setAttribute(this.root,"data-state",line.state);
setSign(this.parts.sign,SIGNS[line.state]??"loading");
setText(this.parts.state,line.title);
setText(this.parts.detail,line.detail);
if(this.#am !==line.state){
const isNews=this.#am !==null&&["failing","offline"].some((one)=>one===line.state||one===this.#am);
this.#am=line.state;
if(isNews)this.announcer.say(line.title,{now:steady,urgent:true});
}
}
}
begin(MESSAGES,async(words)=>{
const [engine,loaded]=await Promise.all([Engine.load(fetch(WASM)),words]);
return new StatusPage(engine,loaded);
});
return{};
})();
