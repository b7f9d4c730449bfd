// What runs at a stop for those who book it, as messages at its foot; and how a departure is booked.

import { clockTime, localDay } from "../shared/moments.js";

/** The services on demand of a board as banners. */
export function offersOf(body, zone, say) {
  return (body?.onDemand ?? []).map((offer) => {
    const day = localDay(Date.parse(offer.opensAt), zone);
    const today = localDay(Date.parse(body.meta.serverTime), zone);
    const window = `${day === today ? "" : `${day} `}${clockTime(Date.parse(offer.opensAt), zone)}–${clockTime(Date.parse(offer.closesAt), zone)}`;
    const header = [say("onDemand", { line: offer.line }), window, howToBook(offer, zone, say)].filter(Boolean).join(" · ");
    return { header, description: [offer.message, offer.bookingUrl ?? offer.infoUrl].filter(Boolean).join("\n"), severity: "info" };
  });
}

/** The number to call, and until when. */
export function howToBook({ phone, bookBy, noticeMinutes }, zone, say) {
  const by = bookBy ? say("bookBy", { time: `${localDay(Date.parse(bookBy), zone)} ${clockTime(Date.parse(bookBy), zone)}` }) : null;
  const ahead = !bookBy && noticeMinutes ? say("bookAhead", { count: noticeMinutes }) : null;
  return [phone, by ?? ahead].filter(Boolean).join(" · ");
}
