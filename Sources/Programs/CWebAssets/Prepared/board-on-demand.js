export const define=({m_messages_messages,m_shared_moments})=>{
const m_messages_booking=(()=>{
const defaultExport={
fr:{onDemand:"À la demande : {line}",bookBy:"réserver avant {time}",bookAhead:"réserver {count} min avant"},
de:{onDemand:"Auf Bestellung: {line}",bookBy:"bestellen bis {time}",bookAhead:"{count} min vorher bestellen"},
it:{onDemand:"A chiamata: {line}",bookBy:"prenotare entro {time}",bookAhead:"prenotare {count} min prima"},
en:{onDemand:"On demand: {line}",bookBy:"book by {time}",bookAhead:"book {count} min ahead"},
};
return{default:defaultExport};
})();
const m_board_on_demand=(()=>{
const{clockTime,localDay}=m_shared_moments;
const{default:bookingMessages}=m_messages_booking;
const{sentences}=m_messages_messages;
function offersOf({onDemand,meta},zone,language){
const say=sentences(language,bookingMessages[language]);
const today=localDay(Date.parse(meta.serverTime),zone);
const moment=(text)=>{
const day=localDay(Date.parse(text),zone);
return `${day===today?"":`${day} `}${clockTime(Date.parse(text),zone)}`;
};
return onDemand.map((offer)=>{
const window=`${moment(offer.opensAt)}–${clockTime(Date.parse(offer.closesAt),zone)}`;
const ahead=offer.noticeMinutes?say("bookAhead",{count:offer.noticeMinutes}):null;
const booking=offer.bookBy?say("bookBy",{time:moment(offer.bookBy)}):ahead;
const header=[say("onDemand",{line:offer.line}),window,offer.phone,booking].filter(Boolean).join(" · ");
return{header,description:[offer.message,offer.bookingUrl??offer.infoUrl].filter(Boolean).join("\n"),severity:"info"};
});
}
return{offersOf};
})();
return m_board_on_demand;
};
