// Replays a run of the native wire form in the WebAssembly build; every word must be the same.
//
//   node Tests/EngineWasm/replay.mjs MODULE TRACE
//
// The trace is what Tests/EngineTests/FreshnessWire/TraceTests.swift writes where FRESHNESS_TRACE is set;
// its form is described there.

import { readFileSync } from "node:fs";

const [module, trace] = process.argv.slice(2);
if (!module || !trace) {
  console.error("usage: replay.mjs MODULE TRACE");
  process.exit(2);
}
const bytes = readFileSync(trace);
const words = new BigInt64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const engine = instance.exports;
const buffer = engine.freshness_buffer();
const handles = new Map();
const counts = { events: 0, looks: 0, refusals: 0 };

function fail(frame, problem) {
  console.log(`frame ${frame}: ${problem}`);
  process.exit(1);
}

let place = 0;
const next = () => Number(words[place++]);
let frame = 0;
while (place < words.length) {
  frame += 1;
  const call = next();
  const machine = next();
  const message = words.subarray(place + 1, place + 1 + Number(words[place]));
  place += 1 + message.length;
  const length = next();
  const answer = words.subarray(place, place + (length < 0 ? 1 : length));
  place += answer.length;
  new BigInt64Array(engine.memory.buffer, buffer, message.length).set(message);
  let result;
  if (call === 1) {
    result = engine.freshness_create(message.length);
    if (result > 0) {
      handles.set(machine, result);
      result = 0;
    }
  } else if (call === 2) {
    counts.events += 1;
    result = engine.freshness_handle(handles.get(machine), message.length);
  } else {
    counts.looks += 1;
    result = engine.freshness_appearance(handles.get(machine), message.length);
  }
  if (result !== length) fail(frame, `native gave ${length}, this build ${result}`);
  if (length < 0) {
    counts.refusals += 1;
    const position = engine.freshness_error_position();
    if (position !== Number(answer[0])) fail(frame, `refused at word ${answer[0]}, here at ${position}`);
    continue;
  }
  const got = new BigInt64Array(engine.memory.buffer, buffer, length);
  for (let index = 0; index < length; index += 1) {
    if (got[index] !== answer[index]) fail(frame, `word ${index}: native ${answer[index]}, here ${got[index]}`);
  }
}
const { events, looks, refusals } = counts;
if (events < 100_000) fail(frame, `a run of ${events} events is too short to prove anything`);
console.log(`${events} events and ${looks} looks of ${handles.size} machines are word for word the same, ` +
  `${refusals} refusals included`);
