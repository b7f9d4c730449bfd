// The messages of services that are booked, in all languages: they come with their script, not with the board.

export default {
  fr: { onDemand: "À la demande : {line}", bookBy: "réserver avant {time}", bookAhead: "réserver {count} min avant" },
  de: { onDemand: "Auf Bestellung: {line}", bookBy: "bestellen bis {time}", bookAhead: "{count} min vorher bestellen" },
  it: { onDemand: "A chiamata: {line}", bookBy: "prenotare entro {time}", bookAhead: "prenotare {count} min prima" },
  en: { onDemand: "On demand: {line}", bookBy: "book by {time}", bookAhead: "book {count} min ahead" },
};
