const later=(address,loaded)=>import(address).then(({define})=>(loaded[address]??=define({m_board_colours,m_board_departure,m_board_rows,m_board_views,m_engine_sample_record,m_messages_messages,m_shared_dom,m_shared_moments})));
const loaded={};
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
const m_board_views=(()=>{
const{delayMinutes,effectiveDeparture,isOff,isRegional,isTrain,lineName}=m_board_departure;
const VIEWS=["minutes","lines","trains","regional","long"];
function linesOf(departures){
const byName=new Map();
for(const departure of departures){
const name=lineName(departure.line);
if(name&&!byName.has(name))byName.set(name,departure);
}
return [...byName].map(([name,departure])=>({name,departure})).sort((a,b)=>naturally(a.name,b.name));
}
function platformsOf(departures){
return [...new Set(departures.map((departure)=>departure.platform).filter(Boolean))].sort(naturally);
}
const collator=new Intl.Collator("en",{numeric:true,sensitivity:"base"});
function naturally(one,other){
return collator.compare(one,other);
}
function viewsOf(departures){
const trains=departures.filter(isTrain).length;
if(trains===0)return ["minutes","lines"];
if(trains===departures.length)return ["minutes","regional","long"];
return ["minutes","lines","trains"];
}
const KEEPS={
trains:isTrain,
regional:isRegional,
long:(departure)=>isTrain(departure)&&!isRegional(departure),
};
function arrange(departures,{view,lines,platforms}){
const kept=departures.filter((departure)=>(KEEPS[view]??(()=>true))(departure)&&passes(departure,{lines,platforms}));
return view==="lines"?byLine(kept):kept;
}
function passes(departure,{lines,platforms}){
const isLine=lines.length===0||lines.includes(lineName(departure.line));
return isLine&&(platforms.length===0||platforms.includes(departure.platform));
}
const MOST_ROWS_BY_LINE=16;
const FEW_LINES=4;
function byLine(departures){
const lines=groups(departures,(departure)=>lineName(departure.line));
const isFew=lines.size<=FEW_LINES;
const chosen=[...lines.keys()].sort(naturally).map((name)=>(isFew?ofEachDirection(lines.get(name),2):ofLine(lines.get(name))));
return isFew?capped(chosen,MOST_ROWS_BY_LINE):chosen.flat();
}
function groups(departures,keyOf){
const byKey=new Map();
for(const departure of departures){
const key=keyOf(departure);
if(!byKey.has(key))byKey.set(key,[]);
byKey.get(key).push(departure);
}
return byKey;
}
function ofEachDirection(departures,count){
const directions=[...groups(departures,(departure)=>departure.destination).values()];
return withTheLate(inOrder(directions.flatMap((direction)=>direction.slice(0,count))),departures);
}
function ofLine(departures){
const directions=[...groups(departures,(departure)=>departure.destination).values()];
const firsts=inOrder(directions.map((direction)=>direction[0])).slice(0,2);
const chosen=firsts.length===2?firsts:departures.slice(0,2);
return withTheLate(chosen,departures);
}
function withTheLate(chosen,departures){
if(chosen.some(isRemarkable))return chosen;
const late=departures.find(isRemarkable);
return late?[...chosen.slice(0,Math.max(1,chosen.length - 1)),late]:chosen;
}
function isRemarkable(departure){
return isOff(departure)||(delayMinutes(departure)??0)>=2;
}
function inOrder(departures){
return departures.sort((a,b)=>effectiveDeparture(a)- effectiveDeparture(b));
}
function capped(lines,most){
const counts=lines.map(()=>0);
let left=most;
for(let round=0;left>0&&lines.some((line)=>line.length>round);round +=1){
for(const [index,line] of lines.entries()){
if(line.length<=round||left===0)continue;
counts[index] +=1;
left -=1;
}
}
return lines.flatMap((line,index)=>line.slice(0,counts[index]));
}
return{VIEWS,linesOf,platformsOf,naturally,viewsOf,arrange,passes};
})();
const m_board_address=(()=>{
const{VIEWS}=m_board_views;
const THEMES=["auto","light","dark"];
const MODES=["page","wall","embed"];
const MOST_FILTERS=40;
const LONGEST_LIMIT=500;
function readAddress(search){
const asked=new URLSearchParams(search);
const first=readPane(asked,"");
const second=readPane(asked,"2");
return{
panes:second.stop?[first,second]:[first],
language:asked.get("lang"),
theme:oneOf(THEMES,asked.get("theme")),
mode:asked.get("view")==="wall"?"wall":oneOf(MODES,asked.get("mode"))??"page",
limit:limitOf(asked.get("limit")),
usesStream:asked.get("updates")==="stream",
};
}
function readPane(asked,suffix){
return{
stop:asked.get(`stop${suffix}`)||null,
view:oneOf(VIEWS,asked.get(`view${suffix}`))??"minutes",
lines:listOf(asked.get(`lines${suffix}`)),
platforms:listOf(asked.get(`platforms${suffix}`)),
trip:asked.get(`trip${suffix}`)||null,
};
}
const oneOf=(known,word)=>(known.includes(word)?word:null);
const listOf=(text)=>(text??"").split(",").map((item)=>item.trim()).filter(Boolean).slice(0,MOST_FILTERS);
function limitOf(text){
const limit=Number.parseInt(text??"",10);
return limit>=1&&limit<=LONGEST_LIMIT?limit:null;
}
function writeAddress(href,{panes,language,theme,mode,limit,usesStream}){
const address=new URL(href);
const put=(name,value)=>(value?address.searchParams.set(name,value):address.searchParams.delete(name));
for(const index of [0,1])writePane(put,panes[index],index===0?"":"2");
put("lang",language);
put("theme",theme);
put("mode",mode==="page"?null:mode);
put("limit",limit);
put("updates",usesStream?"stream":null);
address.search=address.search.replaceAll("%2C",",").replaceAll("%3A",":");
return address.href;
}
function writePane(put,pane,suffix){
put(`stop${suffix}`,pane?.stop);
put(`view${suffix}`,pane?.stop&&pane.view !=="minutes"?pane.view:null);
put(`lines${suffix}`,pane?.stop?pane.lines.join(","):null);
put(`platforms${suffix}`,pane?.stop?pane.platforms.join(","):null);
put(`trip${suffix}`,pane?.stop?pane.trip:null);
}
return{THEMES,MODES,readAddress,writeAddress};
})();
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
const m_shared_announcer=(()=>{
const{element,setText}=m_shared_dom;
const LEAST_GAP_MS=20_000;
class Announcer{
#ck=-LEAST_GAP_MS;
#du=element("announcement");
say(sentence,{now,urgent=false}){
if(!sentence||(!urgent&&now - this.#ck<LEAST_GAP_MS))return false;
this.#ck=now;
setText(this.#du,sentence);
return true;
}
}
return{Announcer};
})();
const m_engine_clock=(()=>{
const SLEPT_FROM_MS=5000;
class SteadyClock{
#cl=performance.now();
#cm=Date.now();
now(){
return performance.now();
}
notice(){
const [steady,wall]=[performance.now(),Date.now()];
const gap=wall - this.#cm -(steady - this.#cl);
[this.#cl,this.#cm]=[steady,wall];
return gap>=SLEPT_FROM_MS;
}
}
const steadyClock=new SteadyClock();
class ServerClock{
#s=Date.now()- steadyClock.now();
#cn=false;
learn(serverTime,{askedAt,answeredAt}){
if(serverTime===null)return;
const middle=(askedAt + answeredAt)/ 2;
const believed=middle + this.#s;
const isWithin=this.#cn&&serverTime % 1000===0&&believed>=serverTime&&believed<serverTime + 1000;
if(!isWithin)this.#s=serverTime - middle;
this.#cn=true;
}
learnFrom(arrival){
if(arrival.outcome==="content"||arrival.outcome==="unchanged")this.learn(arrival.marks.serverTime??null,arrival);
}
now(){
return steadyClock.now()+ this.#s;
}
at(steady){
return steady + this.#s;
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
#bk=new Set();
#aw=null;
#ax=null;
#co=new AbortController();
constructor(){
this.#ay();
if(typeof document==="undefined")return;
const{signal}=this.#co;
const hears=(target,name,heard)=>target?.addEventListener?.(name,heard,{signal});
hears(document,"visibilitychange",()=>this.#ay());
hears(document,"freeze",()=>this.#bl("suspended"));
hears(document,"resume",()=>this.#ay());
hears(globalThis,"pagehide",()=>this.#bl("suspended"));
hears(globalThis,"pageshow",()=>this.#ay());
hears(globalThis,"focus",()=>this.#b({event:"focused"}));
for(const name of ["online","offline"])hears(globalThis,name,()=>this.#bm());
hears(globalThis.navigator?.connection,"change",()=>this.#bm());
}
close(){
this.#co.abort();
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
this.#bk.add(listener);
return()=>this.#bk.delete(listener);
}
tick(){
if(steadyClock.notice())this.#b({event:"slept"});
}
#ay(){
this.#bl(globalThis.document?.hidden?"background":"foreground");
this.#bm();
}
#bl(to){
if(this.#aw===to)return;
this.#aw=to;
this.#b({event:"lifecycle",with:{to}});
}
#bm(){
const{onLine,connection}=globalThis.navigator??{};
const to=onLine===false?"offline":connection?.saveData?"metered":"online";
if(this.#ax===to)return;
this.#ax=to;
this.#b({event:"connectivity",with:{to}});
}
#b(event){
for(const listener of this.#bk)listener(event);
}
}
return{Device};
})();
const m_shared_deferred=(()=>{
class Deferred{
#cp;
#cq;
#bn=null;
#al=null;
#az=0;
constructor(make,onFailure){
this.#cp=make;
this.#cq=onFailure;
}
get made(){
return this.#al;
}
async load(){
try{
this.#bn??=this.#cp();
this.#al=await this.#bn;
}catch(failure){
this.#bn=null;
throw failure;
}
}
use(act){
const number=(this.#az +=1);
if(this.#al)return act(this.#al);
this.load().then(
()=>number===this.#az&&act(this.#al),
(failure)=>number===this.#az&&this.#cq(failure),
);
}
cancel(){
this.#az +=1;
}
}
return{Deferred};
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
const m_board_emptiness=(()=>{
const{clockTime,dayInWords,minutesInWords}=m_shared_moments;
function reasonOfEmptiness(body,{say,locale,zone}){
const{reason,window}=body.noService??{};
if(reason==="no_service_in_time_window"&&window?.minutes&&window.to)return emptyWindow(window,say,zone);
if(reason==="stop_has_no_departures")return{title:say("emptyNever"),detail:say("emptyNeverDetail")};
if(reason==="outside_feed_validity"){
return{title:say("emptyValidity"),detail:say("emptyValidityDetail",validity(body.meta?.timetable,locale))};
}
return{title:say("empty"),detail:say("emptyDetail")};
}
function emptyWindow({minutes,to},say,zone){
const detail=say("emptyWindowDetail",{time:clockTime(Date.parse(to),zone)});
return{title:say("emptyWindow",{span:minutesInWords(minutes)}),detail};
}
function validity(timetable,locale){
const inWords=(day)=>(day?dayInWords(day,locale):"?");
return{from:inWords(timetable?.validFrom),until:inWords(timetable?.validUntil)};
}
function refusalInWords(look,problem,stop,say){
if(problem?.error==="stop_not_found"||(look.failure==="refused"&&look.failureStatus===404)){
return{title:say("unknownStop"),detail:say("unknownStopDetail",{stop})};
}
if(["refused","gone","unauthorised"].includes(look.failure)){
return{title:say("rejected"),detail:problem?.detail??problem?.title??""};
}
return null;
}
return{reasonOfEmptiness,validity,refusalInWords};
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
const m_board_favourites=(()=>{
const{element,makeDialog,nameControl,newButton,newElement,newSign,setAttribute}=m_shared_dom;
const{memory}=m_shared_memory;
const MOST=50;
class Favourites{
#c;
#cr=makeDialog(element("favourites"));
constructor(page){
this.page=page;
const kept=memory.read("favourites");
this.#c=Array.isArray(kept)?kept.filter((stop)=>typeof stop?.id==="string").slice(0,MOST):[];
element("favourites-open").addEventListener("click",()=>this.open());
}
get list(){
return this.#c;
}
has(id){
return this.#c.some((stop)=>stop.id===id);
}
toggle(stop){
if(!stop)return;
const others=this.#c.filter(({id})=>id !==stop.id);
this.#bo(this.has(stop.id)?others:[{id:stop.id,name:stop.name},...others].slice(0,MOST));
}
rename(stop){
const kept=this.#c.find(({id})=>id===stop.id);
if(!kept||kept.name===stop.name)return;
kept.name=stop.name;
memory.write("favourites",this.#c);
}
#bo(list){
this.#c=list;
memory.write("favourites",list.length>0?list:null);
this.page.favouritesChanged();
this.show();
}
#dv(stop){
memory.write("home",memory.read("home")?.id===stop.id?null:stop);
this.show();
}
open(){
this.show();
this.#cr.showModal();
}
speak(){
this.show();
}
show(){
const home=memory.read("home");
element("favourites-empty").hidden=this.#c.length>0;
element("favourites-list").replaceChildren(...this.#c.map((stop)=>this.#dw(stop,home?.id===stop.id)));
const welcome=element("welcome-favourites");
welcome.hidden=this.#c.length===0||this.page.panes?.some(({settings})=>settings.stop)!==false;
welcome.replaceChildren(...this.#c.slice(0,8).map((stop)=>newButton("favourite",stop.name||stop.id,()=>this.page.openStop(stop))));
}
#dw(stop,isHome){
const{say}=this.page;
const item=newElement("li","");
const open=newButton("favourite-name",stop.name||stop.id,()=>{
this.#cr.close();
this.page.openStop(stop,this.page.current);
});
const home=newButton("plain","",()=>this.#dv(stop));
home.append(newSign("home"));
setAttribute(home,"aria-pressed",String(isHome));
nameControl(home,say("homeStop",{stop:stop.name}));
const remove=newButton("plain","",()=>this.toggle(stop));
remove.append(newSign("close"));
nameControl(remove,say("removeNamed",{stop:stop.name}));
item.append(open,home,remove);
return item;
}
}
return{Favourites};
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
#n;
#bp;
#s;
#cs;
#ct=false;
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
this.#n=instance.exports;
const version=this.#n.freshness_wire_version?.();
if(version !==WIRE_VERSION){
const problem=`the module speaks wire form ${version}, not ${WIRE_VERSION}`;
throw new EngineError("wrongModule","",problem);
}
this.#s=this.#n.freshness_buffer();
this.#cs=this.#n.freshness_buffer_capacity();
}
get machines(){
return this.#n.freshness_machines();
}
get memory(){
return{
inUse:this.#n.freshness_memory_in_use()>>>0,
size:this.#n.memory.buffer.byteLength,
};
}
policy(description){
const members=new Members(description,"policy");
if(members.has("preset")===members.has("every")){
throw new EngineError("missing","policy.preset","either this or \"every\" is expected");
}
const policy=this.#dx(members);
for(const [field,kind] of POLICY_FIELDS){
if(!members.has(field))continue;
const value=members.take(field);
policy[field]=kind==="push"&&value !==null?this.#dy(value):value;
}
members.end();
return policy;
}
#dx(members){
return this.#d("freshness_preset",[],(writer)=>{
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
#dy(value){
const given=new Members(value,"policy.push");
const push=this.#d("freshness_preset",[],(writer)=>{
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
const handle=this.#d("freshness_create",[],(writer)=>{
writeContext(writer,context,"context");
writePolicy(writer,policy);
});
return new Machine((name,write,read)=>this.#d(name,[handle],write,read));
}
origin(policy){
const whole=this.policy(policy);
const handle=this.#d("freshness_origin_create",[],(writer)=>writePolicy(writer,whole));
return new Origin((name,write,read)=>this.#d(name,[handle],write,read));
}
#d(name,values,write,read){
if(this.#ct)throw new EngineError("broken","","the module stopped at a fault before");
const writer=new Writer(this.#cu(),this.#s,this.#cs);
write?.(writer);
let result;
try{
result=this.#n[name](...values,...(write?[writer.count]:[]));
}catch(fault){
this.#ct=true;
throw new EngineError("broken","",`the module stopped at a fault: ${fault.message}`);
}
if(result<0)throw this.#dz(-result,writer);
if(!read)return result;
const reader=new Reader(this.#cu(),this.#s,result);
const value=read(reader);
reader.finish();
return value;
}
#dz(number,writer){
const code=CODES[number - 1]??"unknown";
const where=number<=4?writer.names[this.#n.freshness_error_position()]??"":"";
const problems={
outOfRange:"the number is out of its range",
noSuchMachine:"the machine was destroyed",
outOfMemory:"there is no memory for it",
tooManyMachines:"there are as many machines as there may be",
};
return new EngineError(code,where,problems[code]??`the module refused the message (${code})`);
}
#cu(){
const{buffer}=this.#n.memory;
if(this.#bp?.buffer !==buffer)this.#bp=new DataView(buffer);
return this.#bp;
}
}
class Machine{
#d;
#ac=-Infinity;
constructor(call){
this.#d=call;
}
handle(event,now,draw){
const effects=this.#d("freshness_handle",(writer)=>{
this.#bq(writer,now);
writer.integer(draw,"draw");
writeEvent(writer,event);
},readEffects);
this.#ac=Math.floor(now);
return effects;
}
look(now){
return this.#d("freshness_look",(writer)=>this.#bq(writer,now),readLook);
}
label(now){
return this.#d("freshness_label",(writer)=>this.#bq(writer,now),readLabel);
}
policy(){
return this.#d("freshness_policy",null,readPolicy);
}
counters(){
return this.#d("freshness_counters",null,readCounters);
}
destroy(){
this.#d("freshness_destroy",null);
}
#bq(writer,now){
if(Math.floor(now)<this.#ac){
const problem=`${now} is before the last event, at ${this.#ac}; pass a clock that never runs backwards`;
throw new EngineError("wentBack","now",problem);
}
writer.moment(now,"now");
}
}
class Origin{
#d;
constructor(call){
this.#d=call;
}
handle(event){
return this.#d("freshness_origin_handle",(writer)=>writeOriginEvent(writer,event),readOriginOrders);
}
destroy(){
this.#d("freshness_origin_destroy",null);
}
}
return{CODES:m_engine_freshness_words.CODES,EngineError:m_engine_freshness_words.EngineError,NUMBERS:m_engine_freshness_words.NUMBERS,WISHES:m_engine_freshness_words.WISHES,Engine,Machine,Origin};
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
const m_shared_press_guard=(()=>{
const LONGEST_PRESS_MS=10_000;
const CLICK_DELAY_MS=100;
const POINTER_REST_MS=10_000;
class PressGuard{
#br=false;
#w=null;
#bs=new Map();
constructor(){
addEventListener("pointerdown",()=>this.#ea(),true);
addEventListener("pointerup",()=>this.#bt(CLICK_DELAY_MS),true);
addEventListener("click",()=>this.#bt(0),true);
for(const name of ["pointercancel","dragend","blur"])addEventListener(name,()=>this.#cv(),true);
}
run(owner,change){
if(this.#br)this.#bs.set(owner,change);
else change();
}
#ea(){
this.#br=true;
this.#bt(LONGEST_PRESS_MS);
}
#bt(delay){
clearTimeout(this.#w);
this.#w=setTimeout(()=>this.#cv(),delay);
}
#cv(){
clearTimeout(this.#w);
this.#br=false;
const changes=[...this.#bs.values()];
this.#bs.clear();
for(const change of changes)change();
}
}
const pressGuard=new PressGuard();
class HoverAnchor{
#c;
#cw=-Infinity;
#ba=null;
constructor(list,{now,onLeave}){
this.#c=list;
this.now=now;
const isMouse=({pointerType})=>pointerType==="mouse";
list.addEventListener("pointermove",(event)=>{
if(!isMouse(event))return;
this.#cw=this.now();
this.#ba=[event.clientX,event.clientY];
},{passive:true});
list.addEventListener("pointerleave",(event)=>{
if(!isMouse(event))return;
this.#ba=null;
this.#cx(0,0);
onLeave();
});
}
get isActive(){
return this.#ba !==null&&this.now()- this.#cw<POINTER_REST_MS;
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
this.#cx(rest<0?-rest:0,rest>0?rest:0);
if(rest>0)scrollBy(0,rest);
}
#eb(){
const [x,y]=this.#ba;
const node=document.elementFromPoint(x,y);
if(!node||!this.#c.contains(node))return null;
return node.closest("button, summary, a")??[...this.#c.children].find((entry)=>entry.contains(node))??null;
}
#cx(above,below){
const set=(side,more)=>{
const name=`padding-${side}`;
const had=Number.parseFloat(this.#c.style.getPropertyValue(name))||0;
if(above===0&&below===0)this.#c.style.removeProperty(name);
else if(more>0)this.#c.style.setProperty(name,`${had + more}px`);
};
set("top",above);
set("bottom",below);
}
}
return{POINTER_REST_MS,pressGuard,HoverAnchor};
})();
const m_board_rows=(()=>{
const{fromTemplate,newElement,newSign,paintBadge,part,setAttribute,setText,shown}=m_shared_dom;
const{badgeColours}=m_board_colours;
const{ageOfPrediction,countdown,freshnessOf,hasDeparted,headwayMinutes,isOff,isOfHeadway,isPredicted,isRough,isTrain,lineName,modeOf,peculiarities,punctuality,uncertainty,vehicleWord}=m_board_departure;
const{clockTime,duration}=m_shared_moments;
const{pressGuard}=m_shared_press_guard;
const PARTS=["time","badge","mode","line","open","remark","alert","platform","platform-word","platform-name","countdown"];
class Rows{
#bu;
#e=[];
#bv=[];
#o=0;
#ad=0;
#am=new Set();
#m=null;
constructor(body,{onOpen,onToggle}){
this.#bu=body;
this.onOpen=onOpen;
this.onToggle=onToggle;
body.addEventListener("click",(event)=>this.#ec(event));
}
get count(){
return this.#e.filter(({departure})=>departure).length;
}
get openHeight(){
return this.#e.reduce((sum,{detail})=>sum +(detail?.offsetHeight??0),0);
}
get departures(){
return this.#e.map(({departure})=>departure).filter(Boolean);
}
clear(){
this.#bu.replaceChildren();
[this.#e,this.#bv,this.#ad]=[[],[],0];
this.#am.clear();
}
release(){
this.#ad=0;
}
show(departures,context){
this.#bv=departures;
this.#o=context.most;
this.#m=context;
this.#cy(context);
}
tick(now){
if(!this.#m)return;
const context={...this.#m,now};
if(this.#e.some(({departure})=>departure&&hasDeparted(departure,now)))return pressGuard.run(this,()=>this.#cy(context));
for(const place of this.#e)if(place.departure)fillCountdown(place,now,context.say);
}
move(step){
const at=this.#e.findIndex(({row})=>row.contains(document.activeElement));
const next=at<0?(step>0?0:this.count - 1):at + step;
this.#e[next]?.departure&&this.#e[next].open.focus();
}
#cy(context){
const listed=this.#bv.filter((departure)=>!hasDeparted(departure,context.now)).slice(0,this.#o);
const focus=this.#ed();
this.#ad=Math.min(Math.max(this.#ad,listed.length),this.#o);
while(this.#e.length<this.#ad)this.#bb();
while(this.#e.length>this.#ad)this.#ee();
this.#e.forEach((place,index)=>this.#cz(place,listed[index]??null,context));
this.#ef(focus);
}
#bb(){
const row=fromTemplate("row-template");
const place={row,departure:null,detail:null};
for(const name of PARTS)place[name.replace("platform-","platform")]=part(row,name);
this.#bu.append(row);
this.#e.push(place);
}
#ee(){
const{row,detail,departure}=this.#e.pop();
row.remove();
if(detail)this.#am.delete(departure?.key);
detail?.remove();
}
#cz(place,departure,context){
place.departure=departure;
place.row.classList.toggle("vacant",departure===null);
setAttribute(place.row,"aria-hidden",departure===null?"true":null);
place.open.disabled=departure===null;
if(departure)fillPlace(place,departure,context);
else fillAlert(place,[],false,context.say);
this.#eg(place,context);
}
#ec(event){
const place=this.#e.find(({row})=>row.contains(event.target));
if(!place?.departure)return;
if(event.target.closest("[data-part=alert]"))this.#eh(place);
else if(event.target.closest("[data-part=open]"))this.onOpen(place.departure);
}
#eh(place){
const{key}=place.departure;
if(!this.#am.delete(key))this.#am.add(key);
this.#cz(place,place.departure,{...this.#m});
this.onToggle();
}
#eg(place,{say}){
const{departure}=place;
const isOpen=departure !==null&&departure.alerts?.length>0&&this.#am.has(departure.key);
if(!isOpen){
place.detail?.remove();
place.detail=null;
}else{
place.detail??=newDetail(place.row);
const text=departure.alerts.map(({header,description})=>[header,description].filter(Boolean).join("\n")).join("\n\n");
setText(place.detail.firstChild.firstChild,text);
}
if(departure)fillAlert(place,departure.alerts??[],isOpen,say);
}
#ed(){
const active=(document.activeElement);
const place=active&&this.#e.find(({row})=>row.contains(active));
return place?.departure?{key:place.departure.key,row:place.row,part:active.dataset.part}:null;
}
#ef(focus){
if(!focus)return;
const now=this.#e.find(({departure})=>departure?.key===focus.key);
if(now?now.row===focus.row:focus.row.isConnected&&!focus.row.classList.contains("vacant"))return;
const control=now??this.#e.findLast(({departure})=>departure);
(control?.[focus.part==="alert"&&!control.alert.hidden?"alert":"open"]??null)?.focus({preventScroll:true});
}
}
function newDetail(row){
const detail=newElement("tr","alert-row");
detail.setAttribute("role","row");
const cell=newElement("td","alert-cell");
cell.setAttribute("role","cell");
cell.colSpan=6;
cell.append(newElement("p","alert-text"));
detail.append(cell);
row.after(detail);
return detail;
}
function fillPlace(place,departure,context){
const{row}=place;
const mode=modeOf(departure);
row.classList.toggle("off",isOff(departure));
fillTime(place.time,departure,context);
setText(place.mode,`${context.say(mode)} `);
setText(place.line,lineName(departure.line)||"–");
const letters=(departure.line?lineName(departure.line):"").length;
setAttribute(place.badge,"data-letters",letters>3?String(Math.min(letters,7)):null);
setAttribute(place.badge,"title",letters>5?lineName(departure.line):null);
paintBadge(place.badge,badgeColours(departure));
fillDestination(place.open,shown(departure.destination??""),context.town);
fillPlatform(place,departure,context.say);
fillRemarks(place.remark,departure,context.say);
fillCountdown(place,context.now,context.say);
}
function fillDestination(open,destination,town){
if(open.title !==destination)open.title=destination;
const own=town&&destination.startsWith(`${town}, `)?`${town}, `:"";
if(open.textContent===destination&&(open.firstElementChild?.textContent??"")===own)return;
open.replaceChildren(...(own?[newElement("span","own-town",own)]:[]),destination.slice(own.length));
}
function fillTime(time,departure,{zone,say}){
const predicted=departure.realtimeDeparture??null;
const instant=(isOfHeadway(departure)?predicted:null)??departure.scheduledDeparture??predicted??"";
setAttribute(time,"datetime",instant);
const rough=isRough(departure)&&instant;
setAttribute(time,"data-rough",rough?"yes":null);
setAttribute(time,"title",uncertainty(departure,say));
setText(time,instant?`${rough?"≈":""}${clockTime(Date.parse(instant),zone)}`:"");
}
function platformWord(departure,say){
return departure&&!isTrain(departure)?say("stand"):say("platform");
}
function fillPlatform(place,departure,say){
place.platform.classList.toggle("changed",Boolean(departure.platformChanged));
setText(place.platformword,departure.platform?`${platformWord(departure,say)} `:"");
setAttribute(place.platformword,"data-short",departure.platform?say(isTrain(departure)?"platformShort":"standShort"):"");
setText(place.platformname,departure.platform??"");
}
function fillRemarks(cell,departure,say){
const wanted=remarksOf(departure,say);
const written=wanted.map(({kind,text})=>`${kind} ${text}`).join("|");
if(cell.dataset.written===written)return;
cell.dataset.written=written;
for(const pill of cell.querySelectorAll(".pill"))pill.remove();
cell.prepend(...wanted.map(newPill));
}
function newPill({kind,text,name,short}){
const pill=newElement("span",`pill ${kind}`);
if(short&&short !==text)pill.dataset.short=short;
if(!name||name===text){
pill.textContent=text;
return pill;
}
const seen=newElement("span","",text);
seen.setAttribute("aria-hidden","true");
pill.append(seen,newElement("span","unseen",name));
return pill;
}
function remarksOf(departure,say){
const{kind,minutes}=punctuality(departure);
const remarks=[];
if(kind==="late")remarks.push({kind,text:say("late",{minutes}),name:say("lateLong",{count:minutes})});
else if(kind !=="none")remarks.push({kind,text:say(kind)});
if(departure.platformChanged&&!isOff(departure))remarks.push({kind:"moved",...platformChange(departure,say)});
for(const peculiarity of peculiarities(departure))remarks.push(peculiarityInWords(peculiarity,departure,say));
const [skipped,...others]=departure.skippedStops??[];
if(skipped&&!isOff(departure)){
const stops=[skipped,...others].join(", ");
const text=others.length>0?say("skipsStops",{stop:skipped,count:others.length}):say("skipsStop",{stop:skipped});
remarks.push({kind:"skips",text,name:say("skipsStop",{stop:stops}),short:say("skipsShort",{count:others.length + 1})});
}
const vehicle=vehicleWord(departure);
if(vehicle)remarks.push({kind:"headway",text:say(vehicle)});
if(departure.boarding&&!isOff(departure))remarks.push({kind:"headway",text:say(`boarding-${departure.boarding}`),name:departure.booking?.phone?`${say(`boarding-${departure.boarding}`)} · ${departure.booking.phone}`:undefined});
const headway=headwayMinutes(departure);
if(headway !==null&&remarks.length===0){
remarks.push({kind:"headway",text:say("every",{minutes:headway}),name:say("everyLong",{count:headway}),short:say("everyShort",{minutes:headway})});
}
return remarks;
}
function peculiarityInWords(peculiarity,departure,say){
const short=say(`${peculiarity}Short`);
if(peculiarity==="shortTurn"&&departure.endsAt)return{kind:peculiarity,text:say("endsAt",{stop:departure.endsAt}),short};
return{kind:peculiarity,text:say(peculiarity),short};
}
function platformChange(departure,say){
const word=platformWord(departure,say);
const{previousPlatform:before,platform}=departure;
if(!before||!platform)return{text:say("platformChanged",{word})};
return{text:`${before} → ${platform}`,name:say("platformMoved",{word,before,platform})};
}
function fillAlert(place,alerts,isOpen,say){
const{alert}=place;
alert.hidden=alerts.length===0;
setAttribute(alert,"aria-expanded",String(isOpen));
const name=alerts.length===0?"":say("alertOf",{line:lineName(place.departure.line),header:alerts[0].header??""});
setAttribute(alert,"aria-label",name);
}
function fillCountdown({row,countdown:value,departure},now,say){
const{kind,minutes}=countdown(departure,now);
const sign=isTrain(departure)?"train":"bus";
const freshness=freshnessOf(departure,now);
setAttribute(row,"data-realtime",freshness??"none");
const age=freshness==="stale"?ageOfPrediction(departure,now):null;
const old=freshness==="stale"?say("oldPrediction",{age:duration(age===null?180:Math.max(age,60))}):null;
setAttribute(value,"title",old);
const rough=isRough(departure)&&!isPredicted(departure);
const written=`${kind} ${minutes??sign} ${say("minuteMark")} ${old??""}${rough}`;
if(value.dataset.written===written)return;
value.dataset.written=written;
setAttribute(value,"data-rough",rough&&kind==="minutes"?"yes":null);
value.dataset.kind=kind==="minutes"&&minutes<=1?"soon":kind;
value.replaceChildren(...countdownParts(kind,minutes,sign,rough,say));
if(old&&kind !=="none")value.append(newElement("span","unseen",` (${old})`));
}
function countdownParts(kind,minutes,sign,rough,say){
if(kind==="none")return [];
if(kind==="arriving")return [newSign(sign),newElement("span","unseen",say("arriving"))];
const number=newElement("span","number",`${rough?"≈":""}${minutes}`);
const mark=newElement("span","minute-mark",say("minuteMark"));
for(const node of [number,mark])node.setAttribute("aria-hidden","true");
return [number,mark,newElement("span","unseen",say(rough?"inAboutMinutes":"inMinutes",{count:minutes}))];
}
return{Rows,platformWord,remarksOf};
})();
const m_board_board_changes=(()=>{
const{delayMinutes,isOff,lineName}=m_board_departure;
const{remarksOf}=m_board_rows;
const MOST_SENTENCES=3;
function changesInWords(before,after,say){
const known=new Map(before.map((departure)=>[departure.key,departure]));
const changed=after.filter((departure)=>known.has(departure.key)&&isNews(known.get(departure.key),departure));
const sentences=changed.slice(0,MOST_SENTENCES).map((departure)=>sentence(departure,say));
const rest=changed.length - sentences.length;
return [...sentences,rest>0?say("moreChanges",{count:rest}):null].filter(Boolean).join(". ");
}
function isNews(before,after){
if(isOff(before)!==isOff(after))return true;
if(after.platformChanged&&before.platform !==after.platform)return true;
return Math.abs((delayMinutes(after)??0)-(delayMinutes(before)??0))>=2;
}
function sentence(departure,say){
const remarks=remarksOf(departure,say).map(({text,name})=>name??text).join(", ");
return say("changeOf",{line:lineName(departure.line),destination:departure.destination??"",remarks:remarks||say("onTime")});
}
return{changesInWords};
})();
const m_board_banners=(()=>{
const{newElement,part,setAttribute,setText}=m_shared_dom;
const EACH_MS=12_000;
const MOST=20;
class Banners{
#i=[];
#ae=0;
#x=false;
#da=0;
constructor(root){
this.root=root;
this.toggle=part(root,"banner-toggle");
this.title=part(root,"banner-title");
this.count=part(root,"banner-count");
this.list=part(root,"banner-list");
this.toggle.addEventListener("click",()=>this.#an(!this.#x));
root.addEventListener("keydown",(event)=>{
if(event.key !=="Escape"||!this.#x)return;
this.#an(false);
this.toggle.focus();
event.stopPropagation();
});
}
show(banners){
const known=new Set();
const text=({header,description})=>`${header??""}\n${description??""}`;
this.#i=(banners??[]).filter((banner)=>{
const isNew=text(banner).trim()&&!known.has(text(banner));
known.add(text(banner));
return isNew;
}).slice(0,MOST);
this.root.hidden=this.#i.length===0;
if(this.#ae>=this.#i.length)this.#ae=0;
if(this.#i.length===0)this.#x=false;
this.#bw();
}
tick(now,{turns}){
if(!turns||this.#i.length<2||now - this.#da<EACH_MS)return;
this.#da=now;
this.#ae=(this.#ae + 1)% this.#i.length;
this.#bw();
}
#an(isOpen){
this.#x=isOpen;
this.#bw();
}
#bw(){
const banner=this.#i[this.#ae];
setAttribute(this.toggle,"aria-expanded",String(this.#x));
this.list.hidden=!this.#x;
if(!banner)return;
setText(this.title,banner.header||banner.description);
setText(this.count,this.#i.length>1?`${this.#ae + 1}/${this.#i.length}`:"");
setAttribute(this.root,"data-severity",banner.severity??"");
const written=JSON.stringify(this.#i);
if(!this.#x||this.list.dataset.written===written)return;
this.list.dataset.written=written;
this.list.replaceChildren(...this.#i.map(newItem));
}
}
function newItem({header,description}){
const item=newElement("li","");
if(header)item.append(newElement("strong","",header));
if(description&&description !==header)item.append(newElement("p","",description));
return item;
}
return{Banners};
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
const m_board_board_answer=(()=>{
const{readAnswer}=m_engine_arrival;
function readBoard(document,headers){
return isBoard(document)?{...readAnswer(document,headers),answered:document.station?.id??null}:null;
}
function isBoard(document){
return Array.isArray(document?.departures);
}
return{readBoard,isBoard};
})();
const m_board_board_question=(()=>{
function parameters({stopId,language,limit}){
return new URLSearchParams({stop_id:stopId,lang:language,limit,include_alerts:"1"});
}
const boardAddress=(question)=>`/api/stationboard?${parameters(question)}`;
const streamAddress=(question)=>`/api/stationboard/stream?${parameters(question)}`;
function isSameQuestion(one,other){
return one !=null&&other !=null&&boardAddress(one)===boardAddress(other);
}
return{boardAddress,streamAddress,isSameQuestion};
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
#bx="";
#bc=[];
#t="";
#by=0;
#db=null;
feed(text){
const events=[];
let rest=this.#bx + text;
const held=rest.endsWith("\r")?"\r":"";
if(held)rest=rest.slice(0,-1);
const lines=rest.split(/\r\n|\n|\r/);
this.#bx=lines.pop()+ held;
for(const line of lines)this.#ei(line,events);
if(this.#by + this.#bx.length>LONGEST_EVENT)throw new RangeError("the event is too long");
return events;
}
#ei(line,events){
if(line==="")return this.#ej(events);
if(line.startsWith(":"))return;
const colon=line.indexOf(":");
const field=colon<0?line:line.slice(0,colon);
const value=colon<0?"":line.slice(colon + 1).replace(/^ /,"");
if(field==="data")this.#bc.push(value);
if(field==="event")this.#t=value;
if(field==="retry"&&/^[0-9]+$/.test(value))this.retry=Math.min(Number(value),LONGEST_RETRY_MS);
if(field==="id"&&!value.includes("\0"))this.#db=value;
this.#by +=line.length;
}
#ej(events){
if(this.#bc.length>0)events.push({name:this.#t||"message",id:this.#db,data:this.#bc.join("\n")});
[this.#bc,this.#t,this.#by]=[[],"",0];
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
#bz=new AbortController();
constructor(listener){
this.listener=listener;
}
async run(read,address,options={}){
const tell=(act)=>this.#bz.signal.aborted||act();
const lastId=options.lastId??null;
let pause=null;
try{
await read(address,{
...options,
lastId,
signal:this.#bz.signal,
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
this.#bz.abort();
}
}
return{ResourceStream};
})();
const m_board_board_stream=(()=>{
const{isBoard}=m_board_board_answer;
const{readEventStream}=m_engine_event_stream;
const{hintsOf,marksOfBody}=m_engine_marks;
const{ResourceStream}=m_engine_resource_stream;
class BoardStream extends ResourceStream{
#y;
constructor(address,copy,listener){
super(listener);
this.#y=copy?.tag?{body:copy.body,id:copy.tag}:null;
this.run(readEventStream,address,{lastId:this.#y?.id??null});
}
take({name,id,data}){
if(name==="reset"){
this.#y=null;
return this.listener.gap();
}
const document=JSON.parse(data);
if(name==="verified")return this.#dc("unchanged",null,id,data.length,document);
const body=name==="change"?this.#ca(document):document;
if(!isBoard(body))return this.listener.gap();
this.#y={body,id};
this.#dc("content",body,id,data.length,body);
}
#dc(outcome,body,tag,bytes,source){
this.deliver(outcome,{body,tag,bytes,marks:marksOfBody(source),hints:hintsOf(source,null)});
}
#ca({removed,departures,order,...rest}){
if(!this.#y)return null;
const byKey=new Map([...this.#y.body.departures,...departures].map((departure)=>[departure.key,departure]));
for(const key of removed)byKey.delete(key);
const listed=order.map((key)=>byKey.get(key));
return listed.includes(undefined)?null:{...this.#y.body,...rest,departures:listed};
}
}
return{BoardStream};
})();
const m_engine_origin_gate=(()=>{
const gates=new WeakMap();
class OriginGate{
#cb;
#t;
#dd;
#q=0;
#l=new Map();
#r=new Set();
#af=new Set();
#ag={};
static of(engine,address,policy,now){
if(!gates.has(engine))gates.set(engine,new Map());
const known=gates.get(engine);
return remembered(known,originOf(address),(name)=>new OriginGate(engine,policy,now,name));
}
constructor(engine,policy,now,name){
this.#cb=engine.origin(policy);
this.#t=name;
this.#dd=now;
}
get isUnused(){
return this.#af.size===0&&this.#r.size===0;
}
get isRestrained(){
return Object.values(this.#ag).some((limit)=>limit !==null);
}
get isFailing(){
return(this.#ag.quietUntil??null)!==null;
}
get #de(){
let count=0;
for(const resource of this.#af)if(resource.isRunning)count +=1;
return Math.max(count,1);
}
destroy(){
this.#cb.destroy();
}
join(resource){
this.#af.add(resource);
resource.restrain(this.#ag);
return()=>this.#af.delete(resource);
}
ask({priority,longPoll},start,delay=()=>{}){
this.#q +=1;
const number=this.#q;
this.#l.set(number,{start,delay,isLongPoll:longPoll !==null});
this.#r.add(number);
queueMicrotask(()=>this.#l.has(number)&&this.#df(number,priority));
return number;
}
hurry(number){
if(this.#l.has(number))this.#df(number,"high");
}
#df(number,priority){
try{
this.#z({event:"asks",with:{number,priority,isLongPoll:this.#l.get(number).isLongPoll}});
}catch(failure){
if(failure.code !=="noRoom")throw failure;
this.#dg(number);
}
}
stream(open,refuse){
if(this.#ek()){
queueMicrotask(open);
return null;
}
this.#q +=1;
const number=this.#q;
this.#r.add(number);
const start=()=>{
if(!this.#r.has(number))return;
let isOpen=false;
this.#l.set(number,{start:()=>(isOpen=true),isStream:true});
this.#z({event:"opens",with:{number}});
this.#l.delete(number);
if(isOpen)return open();
this.#r.delete(number);
refuse();
};
queueMicrotask(start);
return number;
}
#ek(){
const entries=globalThis.performance?.getEntriesByType?.("resource")??[];
const known=entries.filter(({name,nextHopProtocol})=>nextHopProtocol&&name.startsWith(`${this.#t}/`));
return /^h[23]/.test(known.at(-1)?.nextHopProtocol??"");
}
withdraw(number){
this.#r.delete(number);
this.#l.delete(number);
this.#z({event:"withdrew",with:{number}});
}
tooSlow(number){
this.#r.delete(number);
this.#l.delete(number);
this.#z({event:"ended",with:{number,outcome:"timedOut"}});
}
ended(number,arrival){
this.#r.delete(number);
const{outcome,marks,rateLimit=null}=arrival;
const report={number,outcome,serverTime:marks.serverTime??null,rateLimit,resources:this.#de};
if(outcome==="content")report.revision=0;
if(outcome==="undecodable")report.reason=0;
if(outcome==="throttled")report.retryAfter=arrival.retryAfter;
this.#z({event:"ended",with:report});
}
asksForPause({retryAfter,serverTime}){
this.#z({event:"ended",with:{number:0,outcome:"throttled",retryAfter,serverTime,rateLimit:null,resources:this.#de}});
}
#z(event){
event.with.now??=this.#dd();
const{restraint,send,delayed}=this.#cb.handle(event);
if(JSON.stringify(restraint)!==JSON.stringify(this.#ag)){
this.#ag=restraint;
for(const resource of this.#af)queueMicrotask(()=>this.#af.has(resource)&&resource.restrain(this.#ag));
}
for(const{number,isHeld}of send)this.#el(number,isHeld);
for(const number of delayed)this.#dg(number);
if(delayed.length>0)this.#z({event:"withdrew",with:{number:0}});
}
#el(number,isHeld){
const{start,isStream}=this.#l.get(number)??{};
if(start===undefined)return;
if(isStream)return start();
queueMicrotask(()=>this.#l.delete(number)&&start(isHeld));
}
#dg(number){
const{delay}=this.#l.get(number)??{};
this.#l.delete(number);
this.#r.delete(number);
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
#f=null;
#dh=null;
#aa=null;
#di=null;
#p=null;
#m={question:0};
#g=null;
#ah=null;
#ab=null;
#cc=0;
#cd=0;
#w=null;
#j=null;
#ce=null;
#q=0;
#ac=-Infinity;
#ai=null;
#cf=[];
#bd=[];
#cg=new Map();
#dj=[];
#be=new Map();
#aj=false;
#ao=false;
#ap=false;
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
return(this.#ac=Math.max(this.#ac,this.device.now()));
}
watch(question){
if(this.#ao||(this.#p !==null&&this.source.isSame(question,this.#p)))return;
this.#p=question;
this.#ai=null;
if(!this.#f)return this.#em();
this.#m={question:this.#m.question + 1};
const hadStream=this.#ah !==null||this.#ab !==null;
this.#bf();
[this.#cc,this.#cd]=[0,0];
this.#b({event:"contextChanged",with:this.#m});
if(hadStream)this.#b({event:"linkLost"});
}
pause(){
if(!this.#ak)return;
[this.#aj,this.#ap]=[false,false];
this.#b({event:"stopped"});
}
resume(){
if(!this.#ak)return;
this.#ap=true;
this.#b({event:"started"});
}
acted(){
this.#ak&&this.#b({event:"acted"});
}
invalidate(){
if(!this.#ak)return;
this.#aj=this.#g !==null&&!this.#g.isHeld;
this.acted();
if(!this.#aj)this.#b({event:"wished",with:{wish:"change"}});
}
stop(){
const machine=this.#f;
if(!machine||this.#ao)return;
[this.#ao,this.#ap]=[true,false];
this.#b({event:"stopped"});
this.#dh();
this.#bf();
this.#di();
this.timers.clearTimeout(this.#w);
machine.destroy();
[this.#f,this.#p,this.#j,this.#ai]=[null,null,null,null];
this.#ao=false;
}
refresh({isForced=false}={}){
if(!this.#ak)return;
this.#b({event:"wished",with:{wish:isForced?"hardRefresh":"person"}});
if(this.#g)this.#aa.hurry(this.#g.number);
}
restrain(restraint){
this.#ak&&this.#b({event:"restrained",with:restraint});
}
get isRunning(){
return this.#ap;
}
get #ak(){
return this.#f !==null&&!this.#ao;
}
get question(){
return this.#p;
}
get outstanding(){
return this.#g?.generation??null;
}
get body(){
return this.#j?.body??null;
}
look(){
return this.#f?.look(this.now())??null;
}
get failure(){
return this.#ai;
}
diagnostics(){
if(!this.#f)return null;
return{
ring:this.#cf,
records:this.#bd,
counters:this.#f.counters(),
policy:this.policy,
look:this.look(),
notes:this.#dj,
now:this.now(),
};
}
#em(){
this.#aa=OriginGate.of(this.engine,this.source.address(this.#p,null),this.clientPolicy,()=>this.device.now());
this.#f=this.engine.machine({policy:this.wished,context:this.#m});
this.#dh=this.device.listen((event)=>this.#b(event));
this.#di=this.#aa.join(this);
this.#ap=true;
this.#b({event:"started"});
}
#b(event,now=this.now()){
this.#en(event,now);
const effects=this.#f.handle(event,now,Engine.draw());
if(effects.notes.length>0)this.#dj=effects.notes;
this.#eo(effects.alarm,now);
if(effects.cancel !==null&&this.#g?.generation===effects.cancel){
this.#g.abort.abort();
const{gate,number,sentAt,timeout}=this.#g;
this.#g=null;
const isTooSlow=effects.notes.includes("timedOut")&&sentAt !==null&&now - sentAt<timeout + LATEST_TIMER_MS;
if(isTooSlow)gate.tooSlow(number);
else gate.withdraw(number);
}
if(effects.sample)this.#bo(effects.sample);
this.#ep(effects,now);
const isAnswered=effects.sample?.outcome==="content"||effects.sample?.outcome==="unchanged";
if(effects.asOf !==null)this.onConfirmed(effects.asOf,isAnswered?effects.sample.generation:null);
if(effects.request)this.#eq(effects.request,now);
if(effects.link==="open")this.#er();
if(effects.link==="close")this.#bf();
if(effects.changes.length>0||effects.snapshot !=="none")this.onChange(this);
return effects;
}
#en({event},now){
const flight=this.#g;
if(event==="queued"||flight===null||flight.sentAt !==null||now<flight.deadline||flight.gate.isFailing)return;
this.#dk(flight,now);
}
#dk(flight,now){
flight.deadline=now + flight.timeout;
const{generation,context}=flight;
this.#b({event:"queued",with:{generation,context}},now);
}
#eo(alarm,now){
this.timers.clearTimeout(this.#w);
if(alarm===null)return;
const wait=Math.min(Math.max(0,alarm - now),LONGEST_TIMER_MS);
this.#w=this.timers.setTimeout(()=>this.#b({event:"woke"}),wait);
}
#ep(effects,now){
const look=this.#f.look(now);
const incoming=this.#ce;
this.#ce=null;
if(incoming&&look.revision===incoming.revision&&effects.snapshot !=="hold"){
const isValid=look.validator !==null&&look.validator===incoming.validator;
this.#j={...incoming,tag:isValid?incoming.tag:null};
}
if(look.revision===null)this.#j=null;
if(effects.notes.includes("timedOut"))this.#ai={problem:null,reason:null};
}
get #aq(){
return `GET ${nameOf(this.source.address(this.#p,null))}`;
}
#es(generation){
const before=/;m=([0-9a-f]{16})[0-9a-f]{48}$/.exec(this.#be.get(this.#aq)??"");
return before?{"X-MD-Receipt-After":`${generation};${before[1]}`}:{};
}
#bo(sample){
const evidence=this.#cg.get(sample.generation);
this.#cg.clear();
const record=sampleRecord(sample,this.#aq,this.origin,evidence);
if(evidence?.receipt)this.#be.set(record.resource,evidence.receipt);
if(this.#be.size>MOST_RECEIPTS)this.#be.clear();
const capacity=this.policy.ringCapacity;
this.#cf=[...this.#cf,record].slice(-capacity);
this.#bd.push(record);
if(this.#bd.length>this.mostRecords)this.#bd.shift();
}
#eq(request,orderedAt){
const [machine,gate]=[this.#f,this.#aa];
const{generation,context,timeout,longPoll}=request;
const flight={generation,context,gate,abort:new AbortController(),number:0,isHeld:longPoll !==null,sentAt:null,timeout,deadline:orderedAt + timeout};
flight.number=gate.ask(request,(isHeld)=>{
if(this.#f !==machine)return gate.withdraw(flight.number);
if(flight.abort.signal.aborted)return;
const now=this.now();
if(now>orderedAt)this.#dk(flight,now);
if(longPoll !==null&&!isHeld&&!flight.abort.signal.aborted){
[request.longPoll,flight.isHeld,flight.timeout]=[null,false,timeout - longPoll];
this.#b({event:"notHeld",with:{generation,context}},now);
}
if(flight.abort.signal.aborted)return;
flight.sentAt=now;
this.#ar(request,flight);
},()=>{
if(this.#f !==machine||this.#g !==flight)return;
this.#g=null;
this.#aj=false;
this.#b({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
});
this.#g=flight;
}
async #ar(request,{abort,gate,number}){
const machine=this.#f;
const why={origin:request.origin??null,asked:this.source.subjectOf(this.#p)};
const isKnown=request.validator !==null&&this.#j?.validator===request.validator;
const base=isKnown&&this.#j.tag !==null?this.#j:null;
const arrival=await ask(()=>this.source.address(this.#p,base),{
tag:base?.tag??null,
fields:()=>({...this.source.fields(),...this.#es(request.generation)}),
read:(document,headers)=>this.source.read(document,headers,base,this.#j),
ownsTime:this.source.ownsTime?.(this.#j?.body)??false,
wait:request.longPoll===null?null:Math.floor(request.longPoll / 1000),
signal:abort.signal,
now:()=>this.now(),
send:this.send,
});
if(!abort.signal.aborted&&arrival.isSent)gate.ended(number,arrival);
else if(!abort.signal.aborted)gate.withdraw(number);
if(this.#f !==machine)return;
if(this.#g?.generation===request.generation)this.#g=null;
const{generation,context}=request;
if(arrival.isOfAnotherCopy){
this.#b({event:"answered",with:{generation,context,answer:{outcome:"cancelled"}}});
const wish={origin:"change",isUnconditional:true};
return this.#b({event:"wished",with:wish});
}
this.#cg.set(generation,{...why,...arrival.evidence});
const isCurrent=context.question===this.#m.question;
if(isCurrent&&arrival.outcome !=="cancelled"){
this.#ai={problem:arrival.problem,reason:arrival.reason??null};
this.onArrival(arrival);
}
this.#dl("answered",{generation,context},this.#dm(arrival,isCurrent),arrival.answeredAt);
if(!this.#aj||this.#g !==null)return;
this.#aj=false;
if(this.#f===machine)this.#b({event:"wished",with:{wish:"change"}});
}
#dl(event,values,answer,arrivedAt){
const now=this.now();
answer.decoding=Math.max(0,Math.round(now - arrivedAt));
this.#b({event,with:{...values,answer}},now);
}
#dm(arrival,isCurrent){
try{
return this.#dn(arrival,isCurrent);
}catch(failure){
this.#ai={problem:null,reason:String(failure?.message??failure).slice(0,200)};
return this.#dn({...arrival,outcome:"undecodable"},isCurrent);
}
}
#dn(arrival,isCurrent){
const answer={
outcome:arrival.outcome,status:arrival.status,bytes:arrival.bytes,hints:arrival.hints,
marks:{...arrival.marks,...this.source.marks},deviceTime:Date.now(),
};
if(arrival.answeredAt !==undefined)answer.delay=Math.max(0,Math.round(arrival.answeredAt - arrival.askedAt));
this.#q +=1;
if(arrival.outcome==="content"){
const isSame=isCurrent&&this.#j !==null&&this.#et(arrival.body);
const incoming={
body:arrival.body,
tag:arrival.tag,
revision:isSame?this.#j.revision:this.#q,
validator:arrival.tag===null?null:this.#q,
};
if(isCurrent)this.#ce=incoming;
answer.revision=incoming.revision;
answer.validator=incoming.validator;
Object.assign(answer,this.source.natureOf(arrival.body));
}
if(arrival.outcome==="throttled")answer.retryAfter=arrival.retryAfter;
if(arrival.outcome==="undecodable")answer.reason=this.#q;
return answer;
}
#et(body){
try{
return this.source.contentOf(this.#j.body)===this.source.contentOf(body);
}catch{
return false;
}
}
#er(){
this.#bf();
if(this.source.occupiesNoConnection)return this.#do();
const place={number:null};
place.number=this.#aa.stream(
()=>this.#ab===place&&this.#do(),
()=>{
if(this.#ab !==place)return;
this.#ab=null;
this.#b({event:"linkLost"});
},
);
this.#ab=place;
}
#do(){
try{
this.#ah=this.#eu();
}catch{
this.#ch();
this.#b({event:"linkLost"});
}
}
#eu(){
let heardAt=this.now();
const stream=this.source.openStream(this.#p,this.#j,{
opened:(isResumed)=>this.#b({event:"linkOpened",with:{isResumed}}),
heard:()=>{
heardAt=this.now();
this.#b({event:"linkHeard"},heardAt);
},
gap:()=>this.#b({event:"linkGap"}),
delivered:(arrival)=>this.#ev(arrival,heardAt),
current:()=>this.#j?.body??null,
lost:(pause)=>this.#ew(stream,pause),
retry:(ms)=>(this.#cc=ms),
wait:Math.max(0,this.#cd - this.now()),
});
return stream;
}
#ev(arrival,heardAt){
this.onArrival({...arrival,askedAt:heardAt,answeredAt:heardAt});
this.#dl("linkDelivered",{context:this.#m},this.#dm(arrival,true),heardAt);
}
#ew(stream,pause=null){
if(this.#ah !==stream)return;
if(pause !==null)this.#aa.asksForPause(pause);
this.#ah=null;
this.#ch();
this.#cd=this.now()+ this.#cc;
this.#b({event:"linkLost"});
}
#bf(){
const stream=this.#ah;
this.#ah=null;
stream?.close();
this.#ch();
}
#ch(){
const place=this.#ab;
this.#ab=null;
if(place !==null&&place.number !==null)this.#aa.withdraw(place.number);
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
const m_board_live_board=(()=>{
const{readBoard}=m_board_board_answer;
const{boardAddress,isSameQuestion,streamAddress}=m_board_board_question;
const{BoardStream}=m_board_board_stream;
const{LiveResource}=m_engine_live_resource;
const SOURCE={
isSame:isSameQuestion,
address:boardAddress,
read:readBoard,
openStream:(question,copy,listener)=>new BoardStream(streamAddress(question),copy,listener),
contentOf,
natureOf:(body)=>({hasRealtime:body.rt?.applied===true||["applied","partial"].includes(body.meta?.rtStatus)}),
subjectOf:(question)=>question.stopId??null,
fields:()=>({}),
marks:{},
};
class LiveBoard extends LiveResource{
constructor(options){
super(SOURCE,options);
}
}
function contentOf({station,departures,banners,onDemand,noService}){
return JSON.stringify([station,departures,banners,onDemand,noService]);
}
return{LiveBoard};
})();
const m_board_saved_board=(()=>{
const{memory}=m_shared_memory;
const MOST_BOARDS=3;
const MOST_DEPARTURES=40;
const LEAST_GAP_MS=10_000;
let lastSave=-LEAST_GAP_MS;
function saveBoard({stop,language,body,age,now}){
if(now - lastSave<LEAST_GAP_MS)return;
lastSave=now;
const{station,departures,banners,noService,meta}=body;
const kept={station,departures:departures.slice(0,MOST_DEPARTURES),banners,noService,meta:{timetable:meta?.timetable}};
const others=boards().filter((board)=>board.stop !==stop);
memory.write("last",[{stop,language,body:kept,age,savedAt:Date.now()},...others].slice(0,MOST_BOARDS));
}
function savedBoard(stop){
const board=boards().find((saved)=>saved.stop===stop);
if(!board?.body?.departures)return null;
return{body:board.body,age:Math.max(0,board.age)+ Math.max(0,Date.now()- board.savedAt)};
}
function boards(){
const saved=memory.read("last");
return Array.isArray(saved)?saved:[];
}
return{saveBoard,savedBoard};
})();
const m_board_pane=(()=>{
const{changesInWords}=m_board_board_changes;
const{Banners}=m_board_banners;
const{ServerClock}=m_engine_clock;
const{isTrain}=m_board_departure;
const{fillTexts,fromTemplate,nameControl,partsOf,setAttribute,setSign,setText}=m_shared_dom;
const{reasonOfEmptiness,refusalInWords}=m_board_emptiness;
const{freshnessLine}=m_shared_freshness_line;
const{LiveBoard}=m_board_live_board;
const{clockSeconds,clockTime}=m_shared_moments;
const{pressGuard}=m_shared_press_guard;
const{platformWord,Rows}=m_board_rows;
const{savedBoard,saveBoard}=m_board_saved_board;
const{arrange,viewsOf}=m_board_views;
const USUAL_LIMIT=60;
const LONGEST_LIMIT=300;
const USUAL_ROWS=20;
const SIGNS={
live:"live",ageing:"live",timetable:"timetable",reduced:"reduced",stale:"reduced",held:"reduced",
saved:"timetable",unconfirmed:"timetable",loading:"loading",offline:"offline",failing:"failing",none:"loading",
};
const SERVER_CLOCK=new ServerClock();
let offersOf=null;
class Pane{
#bg=SERVER_CLOCK;
#k;
#i;
#h;
#as=null;
#at={state:"none",departures:null};
#o=USUAL_ROWS;
#u;
#dp=0;
#bh=null;
constructor(page,settings){
this.page=page;
this.settings=settings;
this.#u=page.limit??USUAL_LIMIT;
this.root=fromTemplate("pane-template");
this.parts=partsOf(this.root);
this.parts.board.setAttribute("aria-label","");
this.#k=new Rows(this.parts.rows,{onOpen:(departure)=>page.openTrip(departure,this),onToggle:()=>page.mode==="wall"&&this.#v()});
this.#i=new Banners(this.parts.banners);
const{engine,policy,device}=page;
const onArrival=(arrival)=>this.#bg.learnFrom(arrival);
this.#h=new LiveBoard({engine,policy,device,onChange:()=>pressGuard.run(this,()=>this.#ca()),onArrival});
this.parts.refresh.addEventListener("click",()=>this.refresh());
this.parts.more.addEventListener("click",()=>this.#ex());
this.parts.star.addEventListener("click",()=>page.favourites.toggle(this.settings.stop));
this.parts.filters.addEventListener("click",()=>page.openFilters(this));
this.parts.change.addEventListener("click",()=>page.findStop(this));
this.parts.close.addEventListener("click",()=>page.closePane(this));
this.parts.jump.addEventListener("click",()=>page.neighbourOf(this)?.comeIntoView());
this.parts.views.addEventListener("change",(event)=>this.choose({view:event.target.value}));
this.speak();
}
get live(){
return this.#h;
}
get clock(){
return this.#bg;
}
get zone(){
return this.body?.station?.timezone;
}
#ey(){
if(!this.body?.onDemand?.length)return [];
offersOf??later("/assets/board-on-demand.f9f280160716.js",loaded).then((script)=>((offersOf=script.offersOf),this.#v()),()=>{});
return offersOf?.(this.body,this.zone,this.page.language)??[];
}
get body(){
return this.#h.body??this.#as?.body??null;
}
get departures(){
return this.body?.departures??[];
}
open(stop){
this.settings={...this.settings,stop,lines:[],platforms:[],view:"minutes",trip:null};
this.start();
this.page.settingsChanged({asNewPage:true});
}
start(){
const{stop}=this.settings;
this.page.showMode();
this.#bh=this.settings.trip;
this.#k.clear();
this.#at={state:"none",departures:null};
this.#o=USUAL_ROWS;
this.#u=this.page.limit??USUAL_LIMIT;
this.#as=stop?savedBoard(stop.id):null;
this.#dp=this.page.device.now();
if(stop)this.#ar();
else this.#h.stop();
this.#v();
this.page.showTime();
}
close(){
this.#h.stop();
this.root.remove();
}
refresh({isForced=false}={}){
this.#h.refresh({isForced});
}
choose(change){
Object.assign(this.settings,change);
this.#k.release();
this.page.settingsChanged();
this.#v();
}
move(step){
this.#k.move(step);
}
speak(){
fillTexts(this.page.say,this.root);
if(this.settings.stop&&this.#h.question)this.#ar();
this.#k.release();
this.#v();
}
#ar(){
this.#h.watch({stopId:this.settings.stop.id,language:this.page.language,limit:this.#u});
}
#ex(){
this.#o +=USUAL_ROWS;
if(this.#o>this.#dq().length&&this.#u<LONGEST_LIMIT){
this.#u=Math.min(LONGEST_LIMIT,Math.max(this.#u * 2,this.#o));
this.#ar();
}
this.#v();
}
#ca(){
const{body}=this.#h;
if(body?.station?.name&&this.settings.stop&&this.settings.stop.name !==body.station.name){
this.settings.stop={...this.settings.stop,name:body.station.name};
this.page.stopNamed(this);
}
if(body){
this.#as=null;
const age=this.#h.look().label.age??0;
const{stop}=this.settings;
saveBoard({stop:stop.id,language:this.page.language,body,age,now:this.page.device.now()});
}
this.#v();
this.page.showTime();
if(body)this.#ez();
}
#ez(){
const departure=this.#bh&&this.departures.find(({key})=>key===this.#bh);
this.#bh=null;
if(departure)this.page.openTrip(departure,this);
}
#fa(){
const{say,announcer,device}=this.page;
const before=this.#at.departures;
const{departures}=this;
if(this.#h.body&&before !==departures){
const sentence=before===null?say("loaded",{station:this.name,count:this.#k.count}):changesInWords(before,departures,say);
announcer.say(sentence,{now:device.now(),urgent:before===null});
this.#at.departures=departures;
}
}
get name(){
return this.settings.stop?.name||this.body?.station?.name||this.settings.stop?.id||"";
}
get #aq(){
return this.settings.stop?.name||this.body?.station?.name||this.page.say("departures");
}
#dq(){
return arrange(this.departures,this.settings);
}
#v(){
const{parts,page}=this;
const{say}=page;
setText(parts.station,this.#aq);
parts.tools.hidden=!this.settings.stop;
const isFavourite=page.favourites.has(this.settings.stop?.id);
parts.star.hidden=!isFavourite&&!this.body&&this.#h.failure?.problem?.error==="stop_not_found";
setAttribute(parts.star,"aria-pressed",String(isFavourite));
nameControl(parts.star,say(isFavourite?"removeFavourite":"addFavourite"));
this.#fb();
this.#fc();
const arranged=this.#dq();
this.#i.show([...(this.body?.banners??[]),...this.#ey()]);
this.#dr();
page.boardShown(this);
const most=page.mode==="wall"?this.#fd():this.#o;
this.#k.show(arranged,{most,now:this.#bg.now(),zone:this.zone,town:this.#fe,say});
this.#ff(arranged);
const canBeLonger=arranged.length>this.#o||(this.departures.length>=this.#u&&this.#u<LONGEST_LIMIT);
parts.moreline.hidden=page.mode !=="page"||this.#k.count===0||!canBeLonger;
this.#fg(arranged);
this.#fa();
}
get #fe(){
return this.body?.station?.name?.split(", ")[0]??null;
}
#fd(){
this.parts.board.hidden=false;
const style=getComputedStyle(document.documentElement);
const least=Number.parseFloat(style.fontSize)* Number.parseFloat(style.getPropertyValue("--row-least"));
const{top}=this.parts.rows.getBoundingClientRect();
const end=this.parts.banners.hidden?this.root.getBoundingClientRect().bottom:this.parts.banners.getBoundingClientRect().top;
return Math.max(3,Math.floor((end - Math.max(top,0)- this.#k.openHeight)/ least));
}
#fb(){
const{views}=this.parts;
const offered=viewsOf(this.departures);
const chosen=offered.includes(this.settings.view)?offered:[...offered,this.settings.view];
views.closest("label").hidden=this.departures.length===0;
const written=`${this.page.language} ${chosen}`;
if(views.dataset.written !==written){
views.dataset.written=written;
views.replaceChildren(...chosen.map((view)=>new Option(this.page.say(`view-${view}`),view)));
}
views.value=this.settings.view;
}
#fc(){
const{lines,platforms}=this.settings;
const count=lines.length + platforms.length;
setAttribute(this.parts.filters,"data-active",count>0?"yes":null);
setText(this.parts.filtercount,count>0?[...lines,...platforms].join(", "):"");
this.parts.filters.hidden=this.departures.length===0;
}
#ff(arranged){
const{board}=this.parts;
board.hidden=this.#k.count===0;
setAttribute(board,"aria-label",this.page.say("pair",{name:this.page.say("departures"),value:this.name}));
board.classList.toggle("no-platforms",this.departures.every(({platform})=>!platform));
setText(this.parts.columnplatform,platformWord(arranged.find(isTrain)??arranged[0],this.page.say));
}
#fg(arranged){
const{message,messagetitle,messagedetail,messageaction}=this.parts;
const words=this.#fh(arranged);
message.hidden=words===null;
if(words===null)return;
setText(messagetitle,words.title);
setText(messagedetail,words.detail);
messageaction.hidden=!words.action;
if(words.action)setText(messageaction,words.action.label);
messageaction.onclick=words.action?.act??null;
}
#fh(arranged){
const{say}=this.page;
const find={label:say("backToSearch"),act:()=>this.page.findStop(this)};
if(!this.settings.stop)return{title:say("welcome"),detail:say("welcomeDetail")};
if(this.#k.count>0)return null;
if(this.departures.length>0&&arranged.length<this.departures.length){
const clear=()=>this.choose({view:"minutes",lines:[],platforms:[]});
return{title:say("emptyFilter"),detail:say("emptyFilterDetail"),action:{label:say("clearFilters"),act:clear}};
}
if(this.body)return reasonOfEmptiness(this.body,{say,locale:this.page.locale,zone:this.zone});
const look=this.#h.look();
if(!look?.failure)return null;
const refusal=refusalInWords(look,this.#h.failure?.problem,this.settings.stop.id,say);
if(refusal)return{...refusal,action:find};
const again={label:say("refresh"),act:()=>this.refresh()};
return{title:say("emptyNoAnswer"),detail:say("emptyNoAnswerDetail"),action:again};
}
tick(now){
this.#fi(now);
this.#dr();
const before=this.#k.count;
this.#k.tick(now);
this.#i.tick(this.page.device.now(),{turns:this.page.mode==="wall"});
if(this.#k.count !==before)this.#v();
this.#fj();
}
#fj(){
const other=this.page.neighbourOf(this);
if(!other)return;
setText(this.parts.jumpname,this.page.say("showBoard",{stop:other.#aq}));
setAttribute(this.parts.jump,"data-to",other.root.previousElementSibling===this.root?"below":"above");
}
comeIntoView(){
this.root.scrollIntoView();
this.parts.jump.focus({preventScroll:true});
}
#fi(now){
setText(this.parts.clockminutes,this.zone?clockTime(now,this.zone):"");
setText(this.parts.clockseconds,this.zone?`:${clockSeconds(now)}`:"");
}
#dr(){
const{parts,page}=this;
const look=this.settings.stop?this.#h.look():null;
const now=page.device.now();
const saved=this.#as&&{age:this.#as.age + now - this.#dp};
const{state,title,detail}=freshnessLine({
look,
problem:this.#h.failure?.problem,
retryIn:timeToNextQuestion(look,now),
saved,
shownAt:this.#fk(look,saved,now),
zone:this.zone,
coverage:this.body?.meta?.rtCoverage??null,
count:this.departures.length,
},page.say);
parts.freshness.hidden=state==="none";
setAttribute(this.root,"data-state",state);
setAttribute(this.root,"data-loading",look?.isLoading?"yes":null);
setSign(parts.sign,SIGNS[state]);
setText(parts.state,title);
setText(parts.detail,detail);
this.#fl(state,title);
}
#fk(look,saved,now){
const age=look?.label.age??saved?.age??null;
return age===null?null:this.#bg.at(now)- age;
}
#fl(state,title){
const before=this.#at.state;
if(before===state)return;
this.#at.state=state;
const isQuiet=["none","loading"].includes(before)&&["live","timetable","loading","none"].includes(state);
const isSmall=[before,state].every((one)=>["live","ageing"].includes(one));
if(!isQuiet&&!isSmall)this.page.announcer.say(this.page.say("pair",{name:this.name,value:title}),{now:this.page.device.now(),urgent:true});
}
}
function timeToNextQuestion(look,now){
if(look?.nextCause==="outstanding")return 0;
return look?.nextDue==null?null:Math.max(0,look.nextDue - now);
}
return{Pane};
})();
const m_board_shell=(()=>{
async function keepShell(){
try{
const{serviceWorker}=navigator;
if(!serviceWorker)return;
await serviceWorker.register("/service-worker.js",{updateViaCache:"all"});
const{active}=await serviceWorker.ready;
const loaded=performance.getEntriesByType("resource").map(({name})=>new URL(name));
const files=loaded.filter(({origin,pathname})=>origin===location.origin&&pathname.startsWith("/assets/"));
active.postMessage({keep:files.map(({pathname})=>pathname)});
}catch{
}
}
return{keepShell};
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
const m_board_page=(()=>{
const{readAddress,writeAddress}=m_board_address;
const{Announcer}=m_shared_announcer;
const{everySecond,ServerClock}=m_engine_clock;
const{Device}=m_engine_device;
const{Deferred}=m_shared_deferred;
const{element,fillTexts,makeDialog,setText}=m_shared_dom;
const{validity}=m_board_emptiness;
const{Favourites}=m_board_favourites;
const{showFault}=m_shared_fault;
const{Engine}=m_engine_freshness;
const{listenToKeys}=m_shared_keys;
const{memory}=m_shared_memory;
const{isPastItsValidity}=m_shared_moments;
const{Pane}=m_board_pane;
const{keepShell}=m_board_shell;
const{languageOf,loadMessages,LOCALES,sentences}=m_messages_messages;
const WASM="/assets/freshness.04b2dcc28d54.wasm";
const MESSAGES={
fr:()=>later("/assets/messages-fr-board.adb2b2e30593.js",loaded),
de:()=>later("/assets/messages-de-board.78578239154a.js",loaded),
it:()=>later("/assets/messages-it-board.ab81428de4a2.js",loaded),
en:()=>later("/assets/messages-en-board.b5885fad0ad7.js",loaded),
};
const PUSH={heartbeat:15_000,safetyPoll:60_000};
const FAULT={fault:"{reason}",reload:"Reload"};
const SHELL_AFTER_MS=4000;
class Page{
#a=[];
#bi=null;
#ds=null;
#au;
#ci;
#av;
#bj;
#t=new ServerClock();
constructor(engine,language,messages){
this.engine=engine;
this.language=language;
this.messages=messages;
this.device=new Device();
this.announcer=new Announcer();
const address=readAddress(location.search);
this.asked={language:address.language,theme:address.theme};
this.theme=address.theme??memory.read("theme")??"auto";
this.mode=address.mode;
this.limit=address.limit;
this.usesStream=address.usesStream;
this.policy={preset:"departuresWeb",...(this.usesStream?{push:PUSH}:{})};
this.say=sentences(language,messages);
this.favourites=new Favourites(this);
const deferred=(make)=>new Deferred(make,(failure)=>showFault(this.say,"fault",failure));
this.#au=deferred(async()=>new(await later("/assets/board-trip.1bdf1d567359.js",loaded)).TripDialog(this));
this.#ci=deferred(async()=>new(await later("/assets/board-filter-sheet.7262cb587004.js",loaded)).FilterSheet(this));
this.#av=deferred(async()=>new(await later("/assets/board-diagnostics.2f7114c12999.js",loaded)).Diagnostics(this));
this.#bj=deferred(async()=>new(await later("/assets/board-search.d21741fc04f1.js",loaded)).StopSearch({context:()=>this,onChoose:(stop)=>this.#fm(stop)}));
for(const id of ["settings","help"])makeDialog(element(id));
this.#an(address);
this.#fn();
this.speak();
everySecond(()=>this.#a[0]?.clock??this.#t,()=>this.#dt());
}
get panes(){
return this.#a;
}
get locale(){
return LOCALES[this.language];
}
get current(){
return this.#a.find(({root})=>root.contains(document.activeElement))??this.#a[0];
}
#an({panes}){
const wanted=panes.map((pane,index)=>({...pane,stop:this.#fo(pane.stop,index)}));
while(this.#a.length>wanted.length)this.#a.pop().close();
wanted.forEach((settings,index)=>(this.#a[index]?this.#fp(this.#a[index],settings):this.#bb(settings)));
this.showMode();
}
#fo(id,index){
const known=[memory.read("home"),memory.read("stop"),...this.favourites.list].find((stop)=>stop&&(id?stop.id===id:index===0));
if(id)return{id,name:known?.name??""};
return index===0?memory.read("home")??memory.read("stop"):null;
}
#fp(pane,settings){
const isSame=pane.settings.stop?.id===settings.stop?.id;
pane.settings=settings;
if(isSame)pane.speak();
else pane.start();
}
#bb(settings){
const pane=new Pane(this,settings);
this.#a.push(pane);
element("boards").append(pane.root);
pane.start();
}
closePane(pane){
if(this.#a.length<2)return;
this.#a.splice(this.#a.indexOf(pane),1);
pane.close();
this.showMode();
this.settingsChanged({asNewPage:true});
}
#fq(){
element("settings").close();
if(this.#a.length>1)return this.closePane(this.#a[1]);
this.#bb({stop:null,view:"minutes",lines:[],platforms:[],trip:null});
this.showMode();
this.findStop(this.#a[1]);
}
findStop(pane){
this.#bi=pane;
this.focusSearch();
}
#fm(stop){
const pane=this.#a.includes(this.#bi)?this.#bi:this.#a[0];
this.#bi=null;
this.openStop(stop,pane);
}
openStop(stop,pane=this.#a[0]){
this.#au.cancel();
this.#au.made?.close();
if(pane===this.#a[0])memory.write("stop",stop);
pane.open(stop);
scrollTo(0,0);
this.showMode();
}
stopNamed(pane){
if(pane===this.#a[0])memory.write("stop",pane.settings.stop);
this.favourites.rename(pane.settings.stop);
this.#cj();
}
openTrip(departure,pane){
this.#au.use((trip)=>trip.open(departure,pane));
}
openFilters(pane){
this.#ci.use((sheet)=>sheet.open(pane));
}
focusSearch(){
element("stop-search").focus();
}
toggleDiagnostics(){
element("settings").close();
this.#av.use((diagnostics)=>diagnostics.toggle());
}
async loadRest(){
await Promise.allSettled([this.#bj,this.#au,this.#ci,this.#av].map((part)=>part.load()));
}
favouritesChanged(){
for(const pane of this.#a)pane.speak();
}
neighbourOf(pane){
return this.#a.find((other)=>other !==pane)??null;
}
settingsChanged({asNewPage=false}={}){
const href=writeAddress(location.href,{
panes:this.#a.map(({settings})=>({...settings,stop:settings.stop?.id??null})),
language:this.asked.language&&this.language,
theme:this.asked.theme&&this.theme,
mode:this.mode,
limit:this.limit,
usesStream:this.usesStream,
});
if(href !==location.href)history[asNewPage?"pushState":"replaceState"](null,"",href);
this.#cj();
}
async chooseLanguage(language){
this.#ds=language;
const messages=await loadMessages(MESSAGES,language).catch(()=>null);
if(this.#ds !==language)return;
if(!messages)return void(element("language").value=this.language);
this.language=language;
this.messages=messages;
memory.write("language",language);
if(this.asked.language)this.asked.language=language;
this.settingsChanged();
this.speak();
}
chooseTheme(theme){
this.theme=theme;
memory.write("theme",theme);
if(this.asked.theme)this.asked.theme=theme;
this.settingsChanged();
this.showMode();
}
chooseMode(mode){
element("settings").close();
this.mode=mode;
this.settingsChanged();
this.showMode();
for(const pane of this.#a)pane.speak();
}
speak(){
this.say=sentences(this.language,this.messages);
document.documentElement.lang=this.language;
fillTexts(this.say);
element("language").value=this.language;
this.favourites.speak();
this.#av.made?.speak();
for(const pane of this.#a)pane.speak();
this.showMode();
}
showMode(){
const root=document.documentElement;
root.dataset.theme=this.theme;
root.dataset.mode=this.#a.some(({settings})=>settings.stop)?this.mode:"page";
root.dataset.panes=String(this.#a.length);
element("theme").value=this.theme;
setText(element("second-board"),this.say(this.#a.length>1?"oneBoard":"secondBoard"));
this.favourites.show();
this.#cj();
}
#cj(){
const names=this.#a.map(({name})=>name).filter(Boolean).join(" | ");
document.title=names?`${names} · ${this.say("departures")}`:this.say("departures");
}
boardShown(pane){
if(pane !==this.#a[0])return;
const timetable=pane.body?.meta?.timetable;
const parts=timetable?[this.say("timetable",{publisher:timetable.publisher??"",...validity(timetable,this.locale)})]:[];
if(pane.zone)parts.push(this.say("zone",{zone:pane.zone}));
setText(element("timetable"),parts.join(" · "));
const isPast=isPastItsValidity(timetable,pane.clock.now(),pane.zone);
element("warning").hidden=!isPast;
setText(element("warning"),isPast?this.say("timetablePast",validity(timetable,this.locale)):"");
}
escape(){
if(document.activeElement instanceof HTMLElement)document.activeElement.blur();
}
#dt(){
this.device.tick();
if(document.hidden)return;
this.showTime();
this.#av.made?.tick();
}
showTime(){
const now=this.#a[0]?.clock.now();
for(const pane of this.#a)pane.tick(now);
}
#fn(){
element("language").addEventListener("change",(event)=>this.chooseLanguage(event.target.value));
const searches=(act)=>()=>this.#bj.made||this.#bj.use(act);
element("stop-search").addEventListener("focus",searches((search)=>search.begin()));
element("nearby").addEventListener("click",searches((search)=>search.findNearby()));
element("theme").addEventListener("change",(event)=>this.chooseTheme(event.target.value));
element("wall").addEventListener("click",()=>this.chooseMode("wall"));
element("leave-wall").addEventListener("click",()=>this.chooseMode("page"));
element("second-board").addEventListener("click",()=>this.#fq());
element("settings-open").addEventListener("click",()=>element("settings").showModal());
element("diagnostics-open").addEventListener("click",()=>this.toggleDiagnostics());
element("help-open").addEventListener("click",()=>this.help());
addEventListener("popstate",()=>this.#an(readAddress(location.search)));
addEventListener("resize",()=>this.mode==="wall"&&this.#a.forEach((pane)=>pane.speak()));
document.addEventListener("visibilitychange",()=>document.hidden||this.#dt());
listenToKeys(this);
}
help(){
element("settings").close();
element("help").showModal();
}
}
async function begin(){
const language=languageOf(readAddress(location.search).language,memory.read("language"),...(navigator.languages??[]));
const loading=loadMessages(MESSAGES,language);
try{
const [engine,messages]=await Promise.all([Engine.load(fetch(WASM)),loading]);
const page=new Page(engine,language,messages);
document.documentElement.dataset.ready="yes";
return page;
}catch(failure){
showFault(sentences(language,await loading.catch(()=>FAULT)),"fault",failure);
throw failure;
}
}
const page=begin();
setTimeout(async()=>{
await(await page).loadRest();
keepShell();
},SHELL_AFTER_MS);
return{};
})();
