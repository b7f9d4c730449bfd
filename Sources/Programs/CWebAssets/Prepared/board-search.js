export const define=({m_shared_dom,m_shared_moments})=>{
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
const m_board_search=(()=>{
const{searchStops,stopsNearby,wasCancelled}=m_board_api;
const{element,newElement,setText}=m_shared_dom;
const{distance}=m_shared_moments;
const DEBOUNCE_MS=180;
const SHORTEST_QUERY=2;
const LONGEST_LIST=10;
const POSITION={enableHighAccuracy:true,timeout:12_000,maximumAge:60_000};
class StopSearch{
#a=element("stop-search");
#h=element("suggestions-panel");
#b=element("stop-suggestions");
#r=element("search-message");
#c=[];
#i=-1;
#k=null;
#d=null;
#e=false;
#l=false;
constructor({context,onChoose}){
this.context=context;
this.onChoose=onChoose;
this.#a.addEventListener("input",()=>this.#m());
this.#a.addEventListener("focus",()=>this.#n());
this.#a.addEventListener("keydown",(event)=>this.#u(event));
this.#a.addEventListener("blur",()=>this.#v());
this.#b.addEventListener("pointerdown",(event)=>event.preventDefault());
this.#b.addEventListener("click",(event)=>this.#w(event));
element("nearby").addEventListener("pointerdown",(event)=>event.preventDefault());
element("nearby").addEventListener("click",()=>this.findNearby());
}
begin(){
if(document.activeElement===this.#a)this.#n();
}
#m(){
this.#o();
const query=this.#a.value.trim();
if(query.length===0)return this.#n();
if(query.length<SHORTEST_QUERY)return this.#f();
this.#e=true;
this.#k=setTimeout(()=>this.#x(query),DEBOUNCE_MS);
}
#n(){
if(this.#a.value.trim())return this.#m();
const{favourites,say}=this.context();
if(favourites.list.length===0)return this.#f();
this.#g(favourites.list.slice(0,LONGEST_LIST),say("favourites"));
}
#x(query){
const{say,language}=this.context();
if(this.#h.hidden)this.#j(say("searching"));
const ask=(signal)=>searchStops(query,language,signal);
this.#s(ask,(stops)=>this.#g(stops,stops.length?say("found",{count:stops.length}):say("noMatch",{query})));
}
findNearby(){
this.#o();
this.#a.value="";
this.#a.focus();
this.#g([],this.context().say("locating"));
if(!navigator.geolocation)return this.#j(this.context().say("noPosition"));
const asking=(this.#d=new AbortController());
const unlessCancelled=(next)=>(result)=>asking.signal.aborted||next(result);
navigator.geolocation.getCurrentPosition(
unlessCancelled(({coords})=>this.#y(coords)),
unlessCancelled((problem)=>this.#j(this.context().say(problem.code===1?"positionDenied":"noPosition"))),
POSITION,
);
}
#y(place){
const{say,language}=this.context();
const ask=(signal)=>stopsNearby(place,language,signal);
this.#s(ask,(stops)=>this.#g(stops,stops.length?say("nearbyFound",{count:stops.length}):say("noNearby")));
}
async #s(question,onStops){
this.#d?.abort();
const asking=(this.#d=new AbortController());
try{
const stops=await question(asking.signal);
if(!asking.signal.aborted)onStops(stops.slice(0,LONGEST_LIST));
}catch(failure){
if(!asking.signal.aborted&&!wasCancelled(failure))this.#g([],this.context().say(failure?.error==="no_timetable"?"searchNoTimetable":"searchFailed"));
}
}
#o(){
clearTimeout(this.#k);
this.#k=null;
this.#d?.abort();
this.#d=null;
this.#e=false;
this.#l=false;
}
#g(stops,message){
this.#c=stops;
this.#e=false;
this.#b.replaceChildren(...stops.map((stop,index)=>this.#z(stop,index)));
this.#b.hidden=stops.length===0;
this.#p(-1);
this.#j(message);
this.#r.classList.toggle("unseen",stops.length>0);
if(this.#l&&stops.length>0)this.#q(0);
}
#j(message){
setText(this.#r,message);
this.#h.hidden=false;
this.#a.setAttribute("aria-expanded",String(this.#c.length>0));
}
#z(stop,index){
const option=newElement("li","suggestion");
option.id=`stop-suggestion-${index}`;
option.setAttribute("role","option");
option.append(newElement("span","suggestion-name",nameOf(stop)),newElement("span","suggestion-note",this.#aa(stop)));
return option;
}
#aa(stop){
if(stop.distance_m !=null)return distance(stop.distance_m,this.context().locale);
if(stop.city==null&&stop.canton==null)return "";
const city=stop.city&&!nameOf(stop).startsWith(stop.city)?stop.city:null;
return [city,stop.canton].filter(Boolean).join(" · ");
}
#p(index){
this.#i=index;
[...this.#b.children].forEach((option,at)=>option.setAttribute("aria-selected",String(at===index)));
const option=this.#b.children[index];
if(!option)return this.#a.removeAttribute("aria-activedescendant");
this.#a.setAttribute("aria-activedescendant",option.id);
option.scrollIntoView({block:"nearest"});
}
#v(){
if(document.activeElement !==this.#a)this.#f();
}
#f(){
this.#o();
this.#c=[];
this.#p(-1);
this.#h.hidden=true;
this.#a.setAttribute("aria-expanded","false");
}
#u(event){
const act={ArrowDown:()=>this.#t(1),ArrowUp:()=>this.#t(-1),Enter:()=>this.#ab(),Escape:()=>this.#ac()}[event.key];
if(!act||event.isComposing)return;
event.preventDefault();
act();
}
#t(step){
if(this.#c.length===0)return this.#m();
const places=this.#c.length + 1;
this.#p(((this.#i + 1 + step + places)% places)- 1);
}
#ab(){
if(this.#i>=0||(this.#c.length>0&&!this.#e))return this.#q(Math.max(0,this.#i));
this.#l=this.#e;
}
#ac(){
if(this.#h.hidden)this.#a.value="";
this.#f();
}
#w(event){
const option=event.target.closest("[role=option]");
if(option)this.#q([...this.#b.children].indexOf(option));
}
#q(index){
const stop=this.#c[index];
this.#a.value="";
this.#f();
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
