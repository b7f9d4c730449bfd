// Times of day, days and durations in words. Pure functions: no clock of their own.

const formatters = new Map();

function formatter(locale, zone, parts) {
  const name = `${locale} ${zone} ${Object.entries(parts)}`;
  if (!formatters.has(name)) formatters.set(name, newFormatter(locale, zone, parts));
  return formatters.get(name);
}

function newFormatter(locale, zone, parts) {
  try {
    return new Intl.DateTimeFormat(locale, { ...parts, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" });
  }
}

export function clockTime(instant, zone) {
  return formatter("en-GB", zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(instant);
}

/** The time of day to the second. */
export function clockTimeToSecond(instant, zone) {
  return formatter("en-GB", zone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(instant);
}

/** Seconds do not depend on a zone: every zone in use is a whole number of minutes from UTC. */
export function clockSeconds(instant) {
  return String(Math.floor(instant / 1000) % 60).padStart(2, "0");
}

export function localDay(instant, zone) {
  return formatter("en-CA", zone, { year: "numeric", month: "2-digit", day: "2-digit" }).format(instant);
}

export function dayInWords(day, locale) {
  const noon = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(noon)) return day;
  return formatter(locale, "UTC", { day: "numeric", month: "long", year: "numeric" }).format(noon).replaceAll(" ", "\u00a0");
}

export function isPastItsValidity(timetable, now, zone) {
  return Boolean(timetable?.validUntil) && localDay(now, zone) > timetable.validUntil;
}

// MARK: Durations and distances

/** A duration short enough to be read at a glance: 12 s, 3 min, 2 h, 3 h 30 min. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}\u00a0s`;
  return minutesInWords(Math.floor(whole / 60));
}

export function minutesInWords(minutes) {
  if (minutes < 90) return `${minutes}\u00a0min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours}\u00a0h` : `${hours}\u00a0h\u00a0${rest}\u00a0min`;
}

/** An amount of data: 640 B, 9.9 kB; the unit has its own name in some languages. */
export function dataSize(bytes, locale, say) {
  if (bytes < 1000) return `${bytes}\u00a0${say("byteUnit")}`;
  const kilobytes = (bytes / 1000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${kilobytes}\u00a0${say("kilobyteUnit")}`;
}

export function distance(metres, locale) {
  if (metres < 1000) return `${Math.round(metres / 10) * 10}\u00a0m`;
  return `${(metres / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })}\u00a0km`;
}
