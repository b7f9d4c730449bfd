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
vehicleAt:"le véhicule est ici",
vehicleComes:"le véhicule arrive",
vehicleLeft:"prochain arrêt du véhicule",
seen:"vu il y a {age}",
carriage:"Voiture {label} : {load}",
wheelchair:"accessible en fauteuil roulant",
noWheelchair:"pas accessible en fauteuil roulant",
"load-EMPTY":"vide",
"load-MANY_SEATS_AVAILABLE":"beaucoup de places assises",
"load-FEW_SEATS_AVAILABLE":"peu de places assises",
"load-STANDING_ROOM_ONLY":"places debout seulement",
"load-CRUSHED_STANDING_ROOM_ONLY":"bondé",
"load-FULL":"complet",
"load-NOT_ACCEPTING_PASSENGERS":"ne prend personne",
"load-NOT_BOARDABLE":"fermé",
alertLink:"en savoir plus",
alertPicture:"image",
alertPictureOf:"image : {text}",
continuesTo:"continue comme ligne {line} vers {destination}",
continuesAs:"continue comme ligne {line}",
predictionError:"prévision à ± {minutes} min près",
expectedAt:"prévu {time}",
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
vehicleAt:"das Fahrzeug ist hier",
vehicleComes:"das Fahrzeug fährt ein",
vehicleLeft:"nächster Halt des Fahrzeugs",
seen:"vor {age} gesehen",
carriage:"Wagen {label}: {load}",
wheelchair:"mit Rollstuhl zugänglich",
noWheelchair:"mit Rollstuhl nicht zugänglich",
"load-EMPTY":"leer",
"load-MANY_SEATS_AVAILABLE":"viele Sitzplätze",
"load-FEW_SEATS_AVAILABLE":"wenige Sitzplätze",
"load-STANDING_ROOM_ONLY":"nur Stehplätze",
"load-CRUSHED_STANDING_ROOM_ONLY":"sehr voll",
"load-FULL":"voll",
"load-NOT_ACCEPTING_PASSENGERS":"nimmt niemanden mit",
"load-NOT_BOARDABLE":"geschlossen",
alertLink:"mehr dazu",
alertPicture:"Bild",
alertPictureOf:"Bild: {text}",
continuesTo:"fährt weiter als Linie {line} nach {destination}",
continuesAs:"fährt weiter als Linie {line}",
predictionError:"Prognose auf ± {minutes} min genau",
expectedAt:"erwartet {time}",
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
vehicleAt:"il veicolo è qui",
vehicleComes:"il veicolo è in arrivo",
vehicleLeft:"prossima fermata del veicolo",
seen:"visto {age} fa",
carriage:"Carrozza {label}: {load}",
wheelchair:"accessibile in sedia a rotelle",
noWheelchair:"non accessibile in sedia a rotelle",
"load-EMPTY":"vuoto",
"load-MANY_SEATS_AVAILABLE":"molti posti a sedere",
"load-FEW_SEATS_AVAILABLE":"pochi posti a sedere",
"load-STANDING_ROOM_ONLY":"solo posti in piedi",
"load-CRUSHED_STANDING_ROOM_ONLY":"affollato",
"load-FULL":"pieno",
"load-NOT_ACCEPTING_PASSENGERS":"non prende passeggeri",
"load-NOT_BOARDABLE":"chiuso",
alertLink:"maggiori informazioni",
alertPicture:"immagine",
alertPictureOf:"immagine: {text}",
continuesTo:"prosegue come linea {line} per {destination}",
continuesAs:"prosegue come linea {line}",
predictionError:"previsione con ± {minutes} min",
expectedAt:"previsto {time}",
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
vehicleAt:"the vehicle is here",
vehicleComes:"the vehicle is coming",
vehicleLeft:"next stop of the vehicle",
seen:"seen {age} ago",
carriage:"Carriage {label}: {load}",
wheelchair:"wheelchairs can board",
noWheelchair:"wheelchairs cannot board",
"load-EMPTY":"empty",
"load-MANY_SEATS_AVAILABLE":"many seats",
"load-FEW_SEATS_AVAILABLE":"few seats",
"load-STANDING_ROOM_ONLY":"standing room only",
"load-CRUSHED_STANDING_ROOM_ONLY":"crowded",
"load-FULL":"full",
"load-NOT_ACCEPTING_PASSENGERS":"takes no passengers",
"load-NOT_BOARDABLE":"closed",
alertLink:"more about this",
alertPicture:"image",
alertPictureOf:"image: {text}",
continuesTo:"continues as line {line} to {destination}",
continuesAs:"continues as line {line}",
predictionError:"prediction within ± {minutes} min",
expectedAt:"expected {time}",
},
};
return{default:defaultExport};
})();
const m_board_trip=(()=>{
const{passList,wasCancelled}=m_board_api;
const{badgeColours}=m_board_colours;
const{delayMinutes,delaySeconds,expectedMinute,isOff,isRough,isTrain,isWorthSaying,lineName,minutesOfDelay,uncertainty}=m_board_departure;
const{element,makeDialog,newElement,paintBadge,setText}=m_shared_dom;
const{clockTime,dayInWords,duration}=m_shared_moments;
const{sentences}=m_messages_messages;
const{default:tripMessages}=m_messages_trip;
const{remarksOf}=m_board_rows;
class TripDialog{
#a=makeDialog(element("trip"));
#b=element("trip-stops");
#d=null;
constructor(page){
this.page=page;
this.#a.addEventListener("close",()=>this.#e());
}
get #c(){
const{language,messages}=this.page;
return sentences(language,{...messages,...tripMessages[language]});
}
close(){
if(this.#a.open)this.#a.close();
}
async open(departure,pane){
const{language}=this.page;
const say=this.#c;
this.pane=pane;
this.#f(departure,pane);
if(!this.#a.open)this.#a.showModal();
pane.settings.trip=departure.key;
this.page.settingsChanged();
this.#d?.abort();
const asking=(this.#d=new AbortController());
try{
const journey=await passList(departure,language,asking.signal);
if(!asking.signal.aborted)this.#g(journey,departure,pane);
}catch(failure){
if(!asking.signal.aborted&&!wasCancelled(failure))setText(element("trip-message"),say(failure.status===404?"tripUnknown":"tripFailed"));
}
}
#e(){
if(this.#a.open)return;
this.#d?.abort();
if(this.pane)this.pane.settings.trip=null;
this.page.settingsChanged();
}
#f(departure,pane){
const{locale}=this.page;
const say=this.#c;
setText(element("trip-badge"),lineName(departure.line)||"–");
paintBadge(element("trip-badge"),badgeColours(departure));
setText(element("trip-destination"),departure.destination??"");
const day=departure.serviceDate?say("tripNote",{day:dayInWords(departure.serviceDate,locale)}):"";
const number=departure.tripShortName?say("tripNumber",{number:departure.tripShortName}):"";
setText(element("trip-note"),[number,day,departure.operator].filter(Boolean).join(" · "));
const remarks=remarksOf(departure,say).map(({kind,text,name})=>newElement("span",`pill ${kind}`,name??text));
element("trip-remarks").replaceChildren(...remarks);
const alerts=(departure.alerts??[]).map((alert)=>newAlert(alert,say));
element("trip-alerts").replaceChildren(...alerts);
setText(element("trip-message"),say("tripLoading"));
this.#b.replaceChildren();
element("trip-destination").dataset.stop=pane.name;
}
#g({trip,stops},departure,pane){
const vehicle=trip?.vehicle??null;
setText(element("trip-message"),"");
const words=vehicleInWords(vehicle,this.#c,pane.clock.now());
if(words)element("trip-note").append(newElement("br"),words);
const here=stops.findIndex((stop)=>stop.stop_sequence===departure.stop_sequence);
const context={say:this.#c,zone:pane.zone,now:pane.clock.now(),departure,here,count:stops.length,
isCancelled:trip?.cancelled===true,vehicle};
this.#b.classList.toggle("rough",stops.some(isRoughHere));
this.#b.replaceChildren(...stops.map((stop,index)=>stopItem(stop,index,context)));
this.#b.lastElementChild?.querySelector(".stop-note").append(...continuations(trip,this.#c));
this.#b.children[here]?.scrollIntoView({block:"center"});
}
}
function continuations(trip,say){
return(trip?.continuesAs??[]).map(({line,destination})=>
newElement("span","stop-next",say(destination?"continuesTo":"continuesAs",{line:lineName(line)||"–",destination})));
}
function vehicleInWords(vehicle,say,now){
if(!vehicle)return "";
const carriages=vehicle.carriages.map((one,index)=>({label:one.label??String(index + 1),load:load(one,say)})).filter((one)=>one.load);
return [
load(vehicle,say),...carriages.map((one)=>say("carriage",one)),
vehicle.wheelchair===null?"":say(vehicle.wheelchair?"wheelchair":"noWheelchair"),
say("seen",{age:duration((now - Date.parse(vehicle.seenAt))/ 1000)}),
].filter(Boolean).join(" · ");
}
function load({occupancy,occupancyPercent},say){
const percent=occupancyPercent===null?"":`${occupancyPercent}\u00a0%`;
return occupancy===null?percent:[say(`load-${occupancy}`),percent&&`(${percent})`].filter(Boolean).join(" ");
}
const VEHICLE={STOPPED_AT:"vehicleAt",INCOMING_AT:"vehicleComes",IN_TRANSIT_TO:"vehicleLeft"};
function newAlert({header,description,causeDetail,effectDetail,url,image},say){
const alert=newElement("div","trip-alert");
if(header)alert.append(newElement("strong","",header));
if(description&&description !==header)alert.append(newElement("p","",description));
const details=[effectDetail,causeDetail].filter((detail)=>detail&&detail !==header&&detail !==description);
if(details.length>0)alert.append(newElement("p","",details.join(" · ")));
const text=image?.alternativeText;
const links=[[url,say("alertLink")],[image?.url,text?say("alertPictureOf",{text}):say("alertPicture")]];
for(const [address,words] of links)if(/^https?:/i.test(address??""))alert.append(newLink(address,words));
return alert;
}
function newLink(address,words){
const [line,link]=[newElement("p"),newElement("a","",words)];
Object.assign(link,{href:address,target:"_blank",rel:"noopener noreferrer"});
line.append(link);
return line;
}
function stopItem(stop,index,{say,zone,departure,here,count,isCancelled,vehicle}){
const item=newElement("li",index<here?"before":"");
const isHere=index===here;
const scheduled=stop.scheduledDeparture??stop.scheduledArrival??stop.realtimeDeparture??stop.realtimeArrival;
const expected=(isHere?departure.realtimeDeparture:null)??stop.realtimeDeparture??stop.realtimeArrival??null;
const time=newElement("time","",scheduled?`${isRoughHere(stop)?"≈":""}${clockTime(Date.parse(scheduled),zone)}`:"");
time.dateTime=scheduled??"";
const name=newElement("span","stop-name",stop.name??"");
const platform=newElement("span","stop-platform",(isHere?departure.platform:null)??stop.platform??"");
item.append(time,name,platform,newElement("span","stop-note",notesOf(stop,index,count,{say,zone,vehicle}).join(" · ")));
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
function notesOf(stop,index,count,{say,zone,vehicle}){
const isLast=index===count - 1;
return [
waits(stop)&&!isLast?say("arrives",{time:clockTime(Date.parse(stop.scheduledArrival),zone)}):null,
vehicle?.status&&vehicle.stop_sequence===stop.stop_sequence?say(VEHICLE[vehicle.status]):null,
uncertainty(stop,say),
predictionError(stop,say),
stop.occupancy&&!isLast?say(`load-${stop.occupancy}`):null,
stop.boarding&&!isLast?say(`boarding-${stop.boarding}`):null,
stop.pickup===false&&!isLast?say("alightingOnly"):null,
stop.dropOff===false&&index>0?say("boardingOnly"):null,
].filter(Boolean);
}
function predictionError({predictionUncertaintySec:seconds},say){
return seconds>=60?say("predictionError",{minutes:Math.ceil(seconds / 60)}):null;
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
