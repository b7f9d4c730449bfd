// What runs at a stop for those who book it, as messages at its foot: it comes with the first board that has any.

import { clockTime, localDay } from "../shared/times.js";
import bookingMessages from "../messages/booking.js";
import { sentences } from "../messages/messages.js";

/** The services on demand of a board as banners. */
export function offersOf({ onDemand, meta }, zone, language) {
  const say = sentences(language, bookingMessages[language]);
  const today = localDay(Date.parse(meta.serverTime), zone);
  const time = (text) => {
    const day = localDay(Date.parse(text), zone);
    return `${day === today ? "" : `${day} `}${clockTime(Date.parse(text), zone)}`;
  };
  return onDemand.map((offer) => {
    const window = `${time(offer.opensAt)}–${clockTime(Date.parse(offer.closesAt), zone)}`;
    const ahead = offer.noticeMinutes ? say("bookAhead", { count: offer.noticeMinutes }) : null;
    const booking = offer.bookBy ? say("bookBy", { time: time(offer.bookBy) }) : ahead;
    const header = [say("onDemand", { line: offer.line }), window, offer.phone, booking].filter(Boolean).join(" · ");
    return { header, description: [offer.message, offer.bookingUrl ?? offer.infoUrl].filter(Boolean).join("\n"), severity: "info" };
  });
}
