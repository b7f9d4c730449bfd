// The colours of a line: those of its operator where they can be read, calm ones of our own elsewhere.

import { lineName } from "./departure.js";

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
