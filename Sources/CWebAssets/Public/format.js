// What a departure looks like in words, numbers and colours. Pure functions: no document, no clock of their own.

export const ARRIVING_FROM_SECONDS = 13;
export const DEPARTED_AFTER_SECONDS = 30;
export const LONGEST_COUNTDOWN_MINUTES = 59;
const EARLY_FROM_SECONDS = -60;
const SHOWN_DELAY_FROM_MINUTES = 2;

// MARK: Time to departure

export function effectiveDeparture(departure) {
  return Date.parse(departure.realtimeDeparture ?? departure.scheduledDeparture);
}

export function secondsToDeparture(departure, now) {
  return (effectiveDeparture(departure) - now) / 1000;
}

export function hasDeparted(departure, now) {
  return secondsToDeparture(departure, now) < -DEPARTED_AFTER_SECONDS;
}

export function minutesToDeparture(seconds) {
  if (seconds > 60) return Math.ceil(seconds / 60);
  return seconds > 0 ? 1 : 0;
}

/** What stands in the last column: nothing, the arriving sign, or a number of minutes. */
export function countdown(departure, now) {
  if (departure.cancelled) return { kind: "none" };
  const seconds = secondsToDeparture(departure, now);
  if (seconds <= ARRIVING_FROM_SECONDS) return { kind: "arriving" };
  const minutes = minutesToDeparture(seconds);
  return minutes > LONGEST_COUNTDOWN_MINUTES ? { kind: "none" } : { kind: "minutes", minutes };
}

// MARK: Vehicle and line

const TRAIN_CATEGORIES = new Set(["IC", "IR", "EC", "EN", "R", "RE", "S", "SN", "ICE", "TGV", "NJ", "RJ", "RJX", "PE", "GPX"]);
const MODES_OF_ROUTE_TYPES = [
  [2, 2, "train"], [100, 199, "train"], [3, 3, "bus"], [11, 11, "bus"], [200, 299, "bus"], [700, 899, "bus"],
  [0, 0, "tram"], [900, 999, "tram"], [1, 1, "metro"], [400, 699, "metro"], [4, 4, "boat"], [1000, 1099, "boat"],
  [1200, 1299, "boat"], [7, 7, "funicular"], [1400, 1499, "funicular"], [5, 6, "cableway"], [1300, 1399, "cableway"],
];

export function modeOf(departure) {
  const type = departure.routeType;
  const known = MODES_OF_ROUTE_TYPES.find(([first, last]) => type != null && type >= first && type <= last);
  if (known) return known[2];
  return TRAIN_CATEGORIES.has(departure.category) ? "train" : "other";
}

export function isTrain(departure) {
  return modeOf(departure) === "train";
}

export function lineName(line) {
  return (line ?? "").trim().replace(/^([A-Za-z]*)0+(?=\d)/, "$1");
}

// MARK: Remark

function delaySeconds(departure) {
  if (departure.rawDelaySec != null) return departure.rawDelaySec;
  if (departure.realtimeDeparture == null) return null;
  return (Date.parse(departure.realtimeDeparture) - Date.parse(departure.scheduledDeparture)) / 1000;
}

/** The server's minutes are the authority; seconds are only rounded here when it sent none. */
function delayMinutes(departure, seconds) {
  if (departure.delayMin != null) return departure.delayMin;
  return seconds == null ? null : Math.ceil(seconds / 60);
}

export function remark(departure) {
  if (departure.cancelled) return { kind: "cancelled" };
  const seconds = delaySeconds(departure);
  if (seconds != null && seconds <= EARLY_FROM_SECONDS) return { kind: "early" };
  const minutes = delayMinutes(departure, seconds);
  if (minutes == null || minutes < SHOWN_DELAY_FROM_MINUTES) return { kind: "none" };
  return isTrain(departure) ? { kind: "late", minutes } : { kind: "delayed" };
}

// MARK: Colour

const READABLE_CONTRAST = 4.5;
const CALM_TONES = [
  "2F4B6E", "7A3E48", "2E6156", "6A4A7C", "7A5229", "35608A", "4F6130", "8A4465", "3F5560", "5C4F8F", "2B6A77", "6B5744",
];

export function readableHex(colour) {
  return /^#?[0-9a-f]{6}$/i.test(colour ?? "") ? colour.replace("#", "").toUpperCase() : null;
}

function luminance(hex) {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function blackOrWhite(ground) {
  return contrast(ground, "FFFFFF") >= contrast(ground, "000000") ? "FFFFFF" : "000000";
}

function toneOf(line) {
  let hash = 0x811c9dc5;
  for (const character of line) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193) >>> 0;
  return CALM_TONES[((hash ^ (hash >>> 15)) >>> 0) % CALM_TONES.length];
}

export function badgeColours(departure) {
  const ground = readableHex(departure.routeColor) ?? toneOf(lineName(departure.line));
  const offered = readableHex(departure.routeTextColor);
  const readable = offered && contrast(ground, offered) >= READABLE_CONTRAST;
  return { ground: `#${ground}`, text: `#${readable ? offered : blackOrWhite(ground)}` };
}

// MARK: Clock and calendar

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
  if (whole < 90) return `${whole}\u00a0s`;
  return minutesInWords(Math.floor(whole / 60));
}

export function minutesInWords(minutes) {
  if (minutes < 90) return `${minutes}\u00a0min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours}\u00a0h` : `${hours}\u00a0h\u00a0${rest}\u00a0min`;
}

export function distance(metres, locale) {
  if (metres < 1000) return `${Math.round(metres / 10) * 10}\u00a0m`;
  return `${(metres / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })}\u00a0km`;
}
