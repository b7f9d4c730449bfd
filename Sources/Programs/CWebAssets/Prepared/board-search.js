export const define=({m_messages_messages,m_shared_dom,m_shared_moments})=>{
const m_shared_signals=(()=>{
const Signal=AbortSignal;
function signalWithin(patience,signal){
return Signal.any([Signal.timeout(patience),...(signal?[signal]:[])]);
}
return{signalWithin};
})();
const m_board_api=(()=>{
const{signalWithin}=m_shared_signals;
const TIMEOUT_MS=12_000;
function wasCancelled(failure){
return failure?.name==="AbortError";
}
function searchStops(query,language,signal){
return list("/api/stops/search",{q:query,limit:10,lang:language},signal);
}
function stopsNearby({latitude,longitude},language,signal){
const place={lat:latitude.toFixed(5),lon:longitude.toFixed(5)};
return list("/api/stops/nearby",{...place,limit:10,lang:language},signal);
}
async function passList(departure,language,signal){
const when={service_date:departure.serviceDate,start_time:departure.startTime};
const body=await ask(`/api/trips/${encodeURIComponent(departure.trip_id)}`,{...when,lang:language},signal);
if(!Array.isArray(body?.stops))throw new TypeError("the answer has no stops");
return body;
}
async function list(path,parameters,signal){
const body=await ask(path,parameters,signal);
if(!Array.isArray(body?.stops))throw new TypeError("the answer has no stops");
return body.stops;
}
async function ask(path,parameters,signal){
const present=Object.entries(parameters).filter(([,value])=>value !=null);
const response=await fetch(`${path}?${new URLSearchParams(present)}`,{signal:signalWithin(TIMEOUT_MS,signal)});
if(!response.ok){
const problem=await response.json().catch(()=>null);
throw Object.assign(new Error(`the server answered ${response.status}`),{status:response.status,error:problem?.error});
}
return response.json();
}
return{wasCancelled,searchStops,stopsNearby,passList};
})();
const m_messages_search=(()=>{
const defaultExport={
fr:{
noMatch:"Aucun arrêt trouvé pour « {query} »",
searching:"Recherche…",
searchNoTimetable:"Ce serveur n’a pas encore d’horaire. Pour en importer un : freshet import FEED",
searchFailed:"La recherche ne répond pas pour l’instant. Essayez encore.",
locating:"Recherche de votre position…",
noNearby:"Aucun arrêt trouvé autour de vous.",
noPosition:"Votre position n’est pas disponible.",
positionDenied:"Cette page n’a pas accès à votre position.",
found:{one:"{count} arrêt trouvé",other:"{count} arrêts trouvés"},
nearbyFound:{one:"{count} arrêt près de vous",other:"{count} arrêts près de vous"},
},
de:{
noMatch:"Keine Haltestelle gefunden für «{query}»",
searching:"Suche…",
searchNoTimetable:"Dieser Server hat noch keinen Fahrplan. Importieren mit: freshet import FEED",
searchFailed:"Die Suche antwortet im Moment nicht. Bitte noch einmal versuchen.",
locating:"Standort wird bestimmt…",
noNearby:"Keine Haltestelle in der Nähe gefunden.",
noPosition:"Der Standort ist nicht verfügbar.",
positionDenied:"Diese Seite darf den Standort nicht verwenden.",
found:{one:"{count} Haltestelle gefunden",other:"{count} Haltestellen gefunden"},
nearbyFound:{one:"{count} Haltestelle in der Nähe",other:"{count} Haltestellen in der Nähe"},
},
it:{
noMatch:"Nessuna fermata trovata per «{query}»",
searching:"Ricerca…",
searchNoTimetable:"Questo server non ha ancora un orario. Per importarlo: freshet import FEED",
searchFailed:"La ricerca al momento non risponde. Riprova.",
locating:"Ricerca della posizione…",
noNearby:"Nessuna fermata trovata intorno a te.",
noPosition:"La posizione non è disponibile.",
positionDenied:"Questa pagina non può usare la posizione.",
found:{one:"{count} fermata trovata",other:"{count} fermate trovate"},
nearbyFound:{one:"{count} fermata vicina",other:"{count} fermate vicine"},
},
en:{
noMatch:"No stop found for “{query}”",
searching:"Searching…",
searchNoTimetable:"This server has no timetable yet. Import one: freshet import FEED",
searchFailed:"The search does not answer at the moment. Try again.",
locating:"Looking for your position…",
noNearby:"No stop found around you.",
noPosition:"Your position is not available.",
positionDenied:"This page may not use your position.",
found:{one:"{count} stop found",other:"{count} stops found"},
nearbyFound:{one:"{count} stop near you",other:"{count} stops near you"},
},
};
return{default:defaultExport};
})();
const m_board_search=(()=>{
const{searchStops,stopsNearby,wasCancelled}=m_board_api;
const{element,newElement,setText}=m_shared_dom;
const{sentences}=m_messages_messages;
const{default:searchMessages}=m_messages_search;
const{distance}=m_shared_moments;
const DEBOUNCE_MS=180;
const SHORTEST_QUERY=2;
const LONGEST_LIST=10;
const POSITION={enableHighAccuracy:true,timeout:12_000,maximumAge:60_000};
class StopSearch{
#a=element("stop-search");
#i=element("suggestions-panel");
#b=element("stop-suggestions");
#s=element("search-message");
#c=[];
#j=-1;
#l=null;
#e=null;
#f=false;
#m=false;
constructor({context,onChoose}){
this.context=context;
this.onChoose=onChoose;
this.#a.addEventListener("input",()=>this.#n());
this.#a.addEventListener("focus",()=>this.#o());
this.#a.addEventListener("keydown",(event)=>this.#v(event));
this.#a.addEventListener("blur",()=>this.#w());
this.#b.addEventListener("pointerdown",(event)=>event.preventDefault());
this.#b.addEventListener("click",(event)=>this.#x(event));
element("nearby").addEventListener("pointerdown",(event)=>event.preventDefault());
element("nearby").addEventListener("click",()=>this.findNearby());
}
get #d(){
const{language,messages}=this.context();
return sentences(language,{...messages,...searchMessages[language]});
}
begin(){
if(document.activeElement===this.#a)this.#o();
}
#n(){
this.#p();
const query=this.#a.value.trim();
if(query.length===0)return this.#o();
if(query.length<SHORTEST_QUERY)return this.#g();
this.#f=true;
this.#l=setTimeout(()=>this.#y(query),DEBOUNCE_MS);
}
#o(){
if(this.#a.value.trim())return this.#n();
const{favourites}=this.context();
const say=this.#d;
if(favourites.list.length===0)return this.#g();
this.#h(favourites.list.slice(0,LONGEST_LIST),say("favourites"));
}
#y(query){
const{language}=this.context();
const say=this.#d;
if(this.#i.hidden)this.#k(say("searching"));
const ask=(signal)=>searchStops(query,language,signal);
this.#t(ask,(stops)=>this.#h(stops,stops.length?say("found",{count:stops.length}):say("noMatch",{query})));
}
findNearby(){
this.#p();
this.#a.value="";
this.#a.focus();
this.#h([],this.#d("locating"));
if(!navigator.geolocation)return this.#k(this.#d("noPosition"));
const asking=(this.#e=new AbortController());
const unlessCancelled=(next)=>(result)=>asking.signal.aborted||next(result);
navigator.geolocation.getCurrentPosition(
unlessCancelled(({coords})=>this.#z(coords)),
unlessCancelled((problem)=>this.#k(this.#d(problem.code===1?"positionDenied":"noPosition"))),
POSITION,
);
}
#z(place){
const{language}=this.context();
const say=this.#d;
const ask=(signal)=>stopsNearby(place,language,signal);
this.#t(ask,(stops)=>this.#h(stops,stops.length?say("nearbyFound",{count:stops.length}):say("noNearby")));
}
async #t(question,onStops){
this.#e?.abort();
const asking=(this.#e=new AbortController());
try{
const stops=await question(asking.signal);
if(!asking.signal.aborted)onStops(stops.slice(0,LONGEST_LIST));
}catch(failure){
if(!asking.signal.aborted&&!wasCancelled(failure))this.#h([],this.#d(failure?.error==="no_timetable"?"searchNoTimetable":"searchFailed"));
}
}
#p(){
clearTimeout(this.#l);
this.#l=null;
this.#e?.abort();
this.#e=null;
this.#f=false;
this.#m=false;
}
#h(stops,message){
this.#c=stops;
this.#f=false;
this.#b.replaceChildren(...stops.map((stop,index)=>this.#aa(stop,index)));
this.#b.hidden=stops.length===0;
this.#q(-1);
this.#k(message);
this.#s.classList.toggle("unseen",stops.length>0);
if(this.#m&&stops.length>0)this.#r(0);
}
#k(message){
setText(this.#s,message);
this.#i.hidden=false;
this.#a.setAttribute("aria-expanded",String(this.#c.length>0));
}
#aa(stop,index){
const option=newElement("li","suggestion");
option.id=`stop-suggestion-${index}`;
option.setAttribute("role","option");
option.append(newElement("span","suggestion-name",nameOf(stop)),newElement("span","suggestion-note",this.#ab(stop)));
return option;
}
#ab(stop){
if(stop.distance_m !=null)return distance(stop.distance_m,this.context().locale);
if(stop.city==null&&stop.canton==null)return "";
const city=stop.city&&!nameOf(stop).startsWith(stop.city)?stop.city:null;
return [city,stop.canton].filter(Boolean).join(" · ");
}
#q(index){
this.#j=index;
[...this.#b.children].forEach((option,at)=>option.setAttribute("aria-selected",String(at===index)));
const option=this.#b.children[index];
if(!option)return this.#a.removeAttribute("aria-activedescendant");
this.#a.setAttribute("aria-activedescendant",option.id);
option.scrollIntoView({block:"nearest"});
}
#w(){
if(document.activeElement !==this.#a)this.#g();
}
#g(){
this.#p();
this.#c=[];
this.#q(-1);
this.#i.hidden=true;
this.#a.setAttribute("aria-expanded","false");
}
#v(event){
const act={ArrowDown:()=>this.#u(1),ArrowUp:()=>this.#u(-1),Enter:()=>this.#ac(),Escape:()=>this.#ad()}[event.key];
if(!act||event.isComposing)return;
event.preventDefault();
act();
}
#u(step){
if(this.#c.length===0)return this.#n();
const places=this.#c.length + 1;
this.#q(((this.#j + 1 + step + places)% places)- 1);
}
#ac(){
if(this.#j>=0||(this.#c.length>0&&!this.#f))return this.#r(Math.max(0,this.#j));
this.#m=this.#f;
}
#ad(){
if(this.#i.hidden)this.#a.value="";
this.#g();
}
#x(event){
const option=event.target.closest("[role=option]");
if(option)this.#r([...this.#b.children].indexOf(option));
}
#r(index){
const stop=this.#c[index];
this.#a.value="";
this.#g();
this.#a.blur();
this.onChoose({id:stop.stationId??stop.id,name:nameOf(stop)});
}
}
function nameOf(stop){
return stop.stationName??stop.name??stop.stop_name??stop.id;
}
return{StopSearch};
})();
return m_board_search;
};
