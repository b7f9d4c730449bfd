export const define=({m_board_colours,m_board_views,m_shared_dom})=>{
const m_board_filter_sheet=(()=>{
const{badgeColours}=m_board_colours;
const{element,makeDialog,newElement,paintBadge,setText}=m_shared_dom;
const{linesOf,platformsOf}=m_board_views;
class FilterSheet{
#b=makeDialog(element("filters"));
#a=null;
constructor(page){
this.page=page;
element("filters-clear").addEventListener("click",()=>{
this.#a.choose({lines:[],platforms:[]});
this.#b.close();
});
}
open(pane){
this.#a=pane;
const{lines,platforms}=pane.settings;
const served=linesOf(pane.departures);
this.#c("filter-lines",[...served.map(({name})=>name),...missing(lines,served.map(({name})=>name))],lines,"lines",served);
const known=platformsOf(pane.departures);
this.#c("filter-platforms",[...known,...missing(platforms,known)],platforms,"platforms");
setText(element("filters-title"),this.page.say("pair",{name:this.page.say("filters"),value:pane.name}));
this.#b.showModal();
}
#c(id,names,chosen,kind,served=[]){
const group=element(id);
group.closest("fieldset").hidden=names.length===0;
group.replaceChildren(...names.map((name)=>this.#d(name,chosen,kind,served.find((line)=>line.name===name)?.departure)));
}
#d(name,chosen,kind,departure){
const label=newElement("label","choice");
const box=document.createElement("input");
box.type="checkbox";
box.checked=chosen.includes(name);
box.addEventListener("change",()=>{
const others=this.#a.settings[kind].filter((one)=>one !==name);
this.#a.choose({[kind]:box.checked?[...others,name]:others});
});
const text=newElement("span",departure?"badge":"choice-name",name);
if(departure)paintBadge(text,badgeColours(departure));
label.append(box,text);
return label;
}
}
function missing(chosen,known){
return chosen.filter((name)=>!known.includes(name));
}
return{FilterSheet};
})();
return m_board_filter_sheet;
};
