export const define=({m_board_colours,m_board_departure,m_board_rows,m_messages_messages,m_shared_dom,m_shared_moments})=>{
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
const m_messages_trip=(()=>{
const defaultExport={
fr:{
tripNote:"Heures prévues du {day}",
tripLoading:"Chargement des arrêts…",
tripFailed:"Les arrêts de cette course n’ont pas pu être obtenus.",
tripUnknown:"L’horaire ne connaît pas les arrêts de cette course.",
thisStop:"cet arrêt",
boardingOnly:"montée seulement",
alightingOnly:"descente seulement",
arrives:"arr. {time}",
tripNumber:"n° {number}",
},
de:{
tripNote:"Geplante Zeiten vom {day}",
tripLoading:"Halte werden geladen…",
tripFailed:"Die Halte dieser Fahrt konnten nicht geholt werden.",
tripUnknown:"Der Fahrplan kennt die Halte dieser Fahrt nicht.",
thisStop:"diese Haltestelle",
boardingOnly:"nur Einstieg",
alightingOnly:"nur Ausstieg",
arrives:"an {time}",
tripNumber:"Nr. {number}",
},
it:{
tripNote:"Ore previste del {day}",
tripLoading:"Caricamento delle fermate…",
tripFailed:"Non è stato possibile ottenere le fermate di questa corsa.",
tripUnknown:"L’orario non conosce le fermate di questa corsa.",
thisStop:"questa fermata",
boardingOnly:"solo salita",
alightingOnly:"solo discesa",
arrives:"arr. {time}",
tripNumber:"n. {number}",
},
en:{
tripNote:"Planned times of {day}",
tripLoading:"Loading the stops…",
tripFailed:"The stops of this trip could not be fetched.",
tripUnknown:"The timetable does not list the stops of this trip.",
thisStop:"this stop",
boardingOnly:"boarding only",
alightingOnly:"alighting only",
arrives:"arr. {time}",
tripNumber:"no. {number}",
},
};
return{default:defaultExport};
})();
const m_board_trip=(()=>{
const{passList,wasCancelled}=m_board_api;
const{badgeColours}=m_board_colours;
const{delayMinutes,delaySeconds,expectedMinute,isOff,isRough,isTrain,isWorthSaying,lineName,minutesOfDelay,uncertainty}=m_board_departure;
const{element,makeDialog,newElement,paintBadge,setText}=m_shared_dom;
const{clockTime,dayInWords}=m_shared_moments;
const{sentences}=m_messages_messages;
const{default:tripMessages}=m_messages_trip;
const{remarksOf}=m_board_rows;
class TripDialog{
#a=makeDialog(element("trip"));
#b=element("trip-stops");
#c=null;
constructor(page){
this.page=page;
this.#a.addEventListener("close",()=>this.#e());
}
get #d(){
const{language,messages}=this.page;
return sentences(language,{...messages,...tripMessages[language]});
}
close(){
if(this.#a.open)this.#a.close();
}
async open(departure,pane){
const{language}=this.page;
const say=this.#d;
this.pane=pane;
this.#f(departure,pane);
if(!this.#a.open)this.#a.showModal();
pane.settings.trip=departure.key;
this.page.settingsChanged();
this.#c?.abort();
const asking=(this.#c=new AbortController());
try{
const journey=await passList(departure,language,asking.signal);
if(!asking.signal.aborted)this.#g(journey,departure,pane);
}catch(failure){
if(!asking.signal.aborted&&!wasCancelled(failure))setText(element("trip-message"),say(failure.status===404?"tripUnknown":"tripFailed"));
}
}
#e(){
if(this.#a.open)return;
this.#c?.abort();
if(this.pane)this.pane.settings.trip=null;
this.page.settingsChanged();
}
#f(departure,pane){
const{locale}=this.page;
const say=this.#d;
setText(element("trip-badge"),lineName(departure.line)||"–");
paintBadge(element("trip-badge"),badgeColours(departure));
setText(element("trip-destination"),departure.destination??"");
const day=departure.serviceDate?say("tripNote",{day:dayInWords(departure.serviceDate,locale)}):"";
const number=departure.tripShortName?say("tripNumber",{number:departure.tripShortName}):"";
setText(element("trip-note"),[number,day,departure.operator].filter(Boolean).join(" · "));
const remarks=remarksOf(departure,say).map(({kind,text,name})=>newElement("span",`pill ${kind}`,name??text));
element("trip-remarks").replaceChildren(...remarks);
const alerts=(departure.alerts??[]).map(({header,description})=>newAlert(header,description));
element("trip-alerts").replaceChildren(...alerts);
setText(element("trip-message"),say("tripLoading"));
this.#b.replaceChildren();
element("trip-destination").dataset.stop=pane.name;
}
#g({trip,stops},departure,pane){
setText(element("trip-message"),"");
const here=stops.findIndex((stop)=>stop.stop_sequence===departure.stop_sequence);
const context={say:this.#d,zone:pane.zone,now:pane.clock.now(),departure,here,count:stops.length,
isCancelled:trip?.cancelled===true};
this.#b.classList.toggle("rough",stops.some(isRoughHere));
this.#b.replaceChildren(...stops.map((stop,index)=>stopItem(stop,index,context)));
this.#b.children[here]?.scrollIntoView({block:"center"});
}
}
function newAlert(header,description){
const alert=newElement("div","trip-alert");
if(header)alert.append(newElement("strong","",header));
if(description&&description !==header)alert.append(newElement("p","",description));
return alert;
}
function stopItem(stop,index,{say,zone,departure,here,count,isCancelled}){
const item=newElement("li",index<here?"before":"");
const isHere=index===here;
const scheduled=stop.scheduledDeparture??stop.scheduledArrival??stop.realtimeDeparture??stop.realtimeArrival;
const expected=(isHere?departure.realtimeDeparture:null)??stop.realtimeDeparture??stop.realtimeArrival??null;
const time=newElement("time","",scheduled?`${isRoughHere(stop)?"≈":""}${clockTime(Date.parse(scheduled),zone)}`:"");
time.dateTime=scheduled??"";
const name=newElement("span","stop-name",stop.name??"");
const platform=newElement("span","stop-platform",(isHere?departure.platform:null)??stop.platform??"");
item.append(time,name,platform,newElement("span","stop-note",notesOf(stop,index,count,{say,zone}).join(" · ")));
if(isCancelled||(isHere&&isOff(departure))||stop.stopEvent==="SKIPPED")item.classList.add("off");
else if(expected&&scheduled)item.append(...expectation(Date.parse(scheduled),Date.parse(expected),{say,zone,departure,isHere}));
if(isHere)markHere(item,say);
return item;
}
function isRoughHere(stop){
return isRough(stop)&&Boolean(stop.scheduledDeparture??stop.scheduledArrival);
}
function expectation(scheduled,expected,{say,zone,departure,isHere}){
const seconds=(isHere?delaySeconds(departure):null)??(expected - scheduled)/ 1000;
const minutes=(isHere?delayMinutes(departure):null)??minutesOfDelay(seconds,isTrain(departure));
if(!isWorthSaying(seconds,minutes))return [];
const time=clockTime(expectedMinute(scheduled,minutes),zone);
return [newElement("span",`stop-expected ${minutes<0?"early":"late"}`,say("expectedAt",{time}))];
}
function notesOf(stop,index,count,{say,zone}){
const isLast=index===count - 1;
return [
waits(stop)&&!isLast?say("arrives",{time:clockTime(Date.parse(stop.scheduledArrival),zone)}):null,
uncertainty(stop,say),
stop.boarding&&!isLast?say(stop.boarding):null,
stop.pickup===false&&!isLast?say("alightingOnly"):null,
stop.dropOff===false&&index>0?say("boardingOnly"):null,
].filter(Boolean);
}
function waits(stop){
if(!stop.scheduledArrival||!stop.scheduledDeparture)return false;
return Date.parse(stop.scheduledDeparture)- Date.parse(stop.scheduledArrival)>=120_000;
}
function markHere(item,say){
item.classList.add("here");
item.setAttribute("aria-current","location");
item.append(newElement("span","unseen",` (${say("thisStop")})`));
}
return{TripDialog};
})();
return m_board_trip;
};
