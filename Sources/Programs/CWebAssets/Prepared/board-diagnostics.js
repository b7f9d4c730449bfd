export const define=({m_engine_sample_record,m_shared_dom,m_shared_moments})=>{
const m_board_age_plot=(()=>{
const{newElement,newShape,setAttribute,setText}=m_shared_dom;
const [WIDTH,HEIGHT,PAD]=[600,120,4];
const SPAN_MS=10 * 60_000;
const LEAST_TOP_MS=60_000;
const FRESH_MS=45_000;
const MOST_POINTS=600;
class AgePlot{
#a=[];
#f=newShape("polyline",{class:"plot-age"});
#g=newShape("line",{class:"plot-limit",x1:0,x2:WIDTH});
#h=newElement("p","plot-top");
constructor(){
this.picture=newShape("svg",{class:"plot",viewBox:`0 0 ${WIDTH} ${HEIGHT}`,role:"img",preserveAspectRatio:"none"});
this.picture.append(this.#g,this.#f);
this.root=newElement("div","plot-frame");
this.root.append(this.#h,this.picture);
}
speak(say){
this.say=say;
this.words=say("plot");
this.picture.setAttribute("aria-label",this.words);
}
show({look,now}){
if(look.label.age !==null)this.#a.push({at:now,age:look.label.age});
while(this.#a.length>MOST_POINTS||this.#a[0]?.at<now - SPAN_MS)this.#a.shift();
const top=Math.max(LEAST_TOP_MS,...this.#a.map(({age})=>age));
const x=(at)=>((at - now + SPAN_MS)/ SPAN_MS)* WIDTH;
const y=(age)=>HEIGHT - PAD -(age / top)*(HEIGHT - 2 * PAD);
setAttribute(this.#f,"points",this.#a.map(({at,age})=>`${x(at).toFixed(1)},${y(age).toFixed(1)}`).join(" "));
for(const name of ["y1","y2"])setAttribute(this.#g,name,y(FRESH_MS).toFixed(1));
setText(this.#h,this.say("pair",{name:this.words,value:`0 – ${Math.round(top / 1000)}\u00a0s`}));
}
}
return{AgePlot};
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
const m_engine_diagnostics_view=(()=>{
const{nextQuestion}=m_engine_next_question;
const{recordLine}=m_engine_sample_record;
const COLUMNS=["sampleTime","sampleAnswer","sampleDuration","sampleBytes","sampleAge","sampleStatus"];
function newElement(name,className,text=""){
const node=document.createElement(name);
if(className)node.className=className;
node.textContent=text;
return node;
}
function setText(node,text){
if(node.textContent !==text)node.textContent=text;
}
class DiagnosticsView{
#i=document.createElement("tbody");
#j=newElement("tr","");
#d=null;
facts=newElement("dl","facts");
samples=newElement("div","samples-scroll");
constructor(){
const table=newElement("table","samples");
const thead=document.createElement("thead");
thead.append(this.#j);
table.append(thead,this.#i);
this.samples.tabIndex=0;
this.samples.setAttribute("role","region");
this.samples.append(table);
}
speak(say){
this.samples.setAttribute("aria-label",say("samples"));
this.#j.replaceChildren(...COLUMNS.map((name)=>{
const cell=newElement("th","",say(name));
cell.scope="col";
return cell;
}));
this.#d=null;
}
show(facts,format){
const{say,duration,dataSize}=format;
const{counters,policy}=facts;
const next=nextQuestion(facts);
const wait=next.wait===null?"–":duration(next.wait / 1000);
const entries=[
["factNext",`${wait} · ${next.rule} ${say(`cause-${next.cause}`)}`],
["factCadence",`${policy.active / 1000} s`],
["factRequests",`${counters.requests} · ${say("factUnchanged",{percent:counters.unchangedPercent})}`],
["factBytes",dataSize(counters.bytes)],
["factGuards",say("factGuardsOf",counters)],
["factNotes",facts.notes.join(", ")||"–"],
];
if(this.facts.children.length !==entries.length * 2){
this.facts.replaceChildren(...entries.flatMap(()=>[document.createElement("dt"),document.createElement("dd")]));
}
entries.forEach(([name,value],index)=>{
setText(this.facts.children[2 * index],say(name));
setText(this.facts.children[2 * index + 1],value);
});
if(this.#d===facts.ring)return;
this.#d=facts.ring;
this.#i.replaceChildren(...[...facts.ring].reverse().map((record)=>row(record,format)));
}
}
function row(record,{say,duration,dataSize,time}){
const answer=`${record.status||"–"} ${say(`outcome-${record.outcome}`)}`;
const age=record.ageMs===null?"–":duration(record.ageMs / 1000);
const status=record.rtStatus===null?"–":say(`status-${record.rtStatus}`);
const cells=[time(record),answer,`${record.durationMs}\u00a0ms`,dataSize(record.bytes),age,status];
const line=document.createElement("tr");
line.append(...cells.map((text)=>newElement("td","",text)));
return line;
}
function saveRecords(records){
const file=new Blob(records.map((record)=>`${recordLine(record)}\n`),{type:"application/jsonl"});
const link=document.createElement("a");
link.href=URL.createObjectURL(file);
link.download=`freshness-web-${new Date().toISOString().replaceAll(":","").slice(0,15)}.jsonl`;
link.click();
setTimeout(()=>URL.revokeObjectURL(link.href),10_000);
}
return{DiagnosticsView,saveRecords};
})();
const m_board_diagnostics=(()=>{
const{AgePlot}=m_board_age_plot;
const{DiagnosticsView,saveRecords}=m_engine_diagnostics_view;
const{element,newButton,newElement,newSign,nameControl,setText}=m_shared_dom;
const{clockTimeToSecond,dataSize,duration}=m_shared_moments;
class Diagnostics{
#b=element("diagnostics");
#c=new DiagnosticsView();
#e=new AgePlot();
constructor(page){
this.page=page;
const head=newElement("div","diagnostics-head");
this.title=newElement("h2","");
this.save=newButton("","",()=>saveRecords(this.page.panes[0].live.diagnostics().records));
this.hide=newButton("plain","",()=>this.toggle());
this.hide.append(newSign("close"));
head.append(this.title,this.save,this.hide);
this.#b.append(head,this.#c.facts,this.#e.root,this.#c.samples);
}
toggle(){
this.#b.hidden=!this.#b.hidden;
document.documentElement.toggleAttribute("data-diagnostics",!this.#b.hidden);
this.speak();
if(!this.#b.hidden)this.save.focus();
}
speak(){
const{say}=this.page;
setText(this.title,say("diagnostics"));
setText(this.save,say("exportSamples"));
nameControl(this.hide,say("close"));
this.#c.speak(say);
this.#e.speak(say);
this.tick();
}
tick(){
if(this.#b.hidden)return;
const{say,locale}=this.page;
const pane=this.page.panes[0];
const facts=pane?.live.diagnostics();
if(!facts)return;
this.#c.show(facts,{
say,
duration,
dataSize:(bytes)=>dataSize(bytes,locale,say),
time:(record)=>clockTimeToSecond(pane.clock.at(record.startedAt - pane.live.origin),pane.zone),
});
this.#e.show(facts);
}
}
return{Diagnostics};
})();
return m_board_diagnostics;
};
