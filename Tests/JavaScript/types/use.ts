// Uses of the package that must compile, and, behind @ts-expect-error, uses that must not.

import { ageInWords, Device, Engine, EngineError, FreshnessClient, FreshnessError } from "@freshet/freshness";
import type { FreshResource, Snapshot } from "@freshet/freshness";
import { Engine as TheEngine, NUMBERS } from "@freshet/freshness/engine";
import { FreshnessProvider, useAge, useFresh, useFreshnessClient } from "@freshet/freshness/react";
import { FreshValue } from "@freshet/freshness/elements";
import { FreshnessDevtools } from "@freshet/freshness/devtools";

interface Board {
  station: string;
  made: string;
}

function isBoard(document: unknown): document is Board {
  return typeof document === "object" && document !== null && "station" in document;
}

async function watches(signal: AbortSignal): Promise<void> {
  const client = new FreshnessClient({ policy: { preset: "departuresWeb", longPoll: 25_000 }, headers: () => ({ Authorization: "x" }), device: new Device() });
  const board: FreshResource<Board> = client.resource<Board>("/api/board", {
    policy: 5_000,
    read: (document, { headers, previous }) => {
      if (!isBoard(document)) throw new TypeError(`not a board: ${headers.get("content-type")}, ${previous?.station}`);
      return document;
    },
    about: ({ made }) => ({ madeAt: made, isActive: true }),
    stream: { address: "/api/board/stream", reduce: ({ name, data }, value) => (name === "gap" ? "gap" : { value: { ...value!, ...JSON.parse(data) } }) },
  });
  const end: () => void = board.subscribe(({ value, error, state }: Snapshot<Board>) => console.log(value?.station, error?.kind === "throttled", state === "old"), { ticking: true, signal });
  for await (const { value, age } of board.values({ ticking: true })) console.log(value?.station, ageInWords(age, "de"));
  const first: Board = await board.first({ signal });
  const cause: string | undefined = board.nextRequest?.rule;
  const requests: number | undefined = board.diagnostics()?.counters.requests;
  console.log(first, cause, requests);
  board.refresh({ isForced: true });
  const saved: number = await board.mutate(async ({ signal: one }) => (await fetch("/api/board", { method: "POST", signal: one })).status, {
    optimistic: (value) => ({ ...value, station: "another" }), invalidates: ["boards"],
  });
  await client.mutate(async () => saved, { changes: [[board, (value) => value]] });
  client.invalidate("boards", "stops");
  // @ts-expect-error A change returns a value of the resource's kind.
  await board.mutate(async () => 1, { optimistic: () => 5 });
  end();
  // @ts-expect-error A preset that there is not.
  client.resource("/x", { policy: "fast" });
  // @ts-expect-error Read only.
  board.snapshot.value = null;
  // @ts-expect-error A policy has a preset or an interval.
  client.resource("/x", { policy: { preset: "jobs", every: 5 } });
  // @ts-expect-error There is no such state.
  console.log(board.snapshot.state === "fresh");
}

async function drives(): Promise<void> {
  const engine: TheEngine = await Engine.load(fetch("/freshness.wasm"));
  const machine = engine.machine({ policy: { every: 10_000, push: { heartbeat: 5_000 } }, context: { question: 1 } });
  const { request, alarm } = machine.handle({ event: "started" }, performance.now(), Engine.random());
  if (request !== null) {
    const { generation, context } = request;
    machine.handle({ event: "answered", with: { generation, context, answer: { outcome: "content", revision: 1, metadata: { fetchedAt: 5 } } } }, alarm ?? 0, 0);
  }
  // @ts-expect-error An answer with content has a revision.
  machine.handle({ event: "answered", with: { generation: 1, context: { question: 1 }, answer: { outcome: "content" } } }, 0, 0);
  // @ts-expect-error An event that there is not.
  machine.handle({ event: "strated" }, 0, 0);
  console.log(NUMBERS.event.length);
}

function Board({ stop }: { stop: string | null }): string {
  const board = useFresh<Board>(stop === null ? null : `/api/board?stop=${stop}`, { policy: "departuresWeb" });
  const age: number | null = useAge(board);
  const client: FreshnessClient = useFreshnessClient();
  FreshnessProvider({ client });
  if (board.error instanceof FreshnessError) return board.error.message;
  return `${board.value?.station ?? "…"} ${age}`;
}

function elements(): void {
  const value = document.querySelector("fresh-value")!;
  value.client = FreshnessClient.shared;
  value.addEventListener("fresh", ({ detail }) => console.log(detail.age));
  new FreshValue().refresh();
  new FreshnessDevtools().client = FreshnessClient.shared;
  console.log(new EngineError("code", "where", "problem").where);
}

console.log(watches, drives, Board, elements);
