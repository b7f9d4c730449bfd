"""The world that the follower of the page is tried in, as a script of that page."""

from __future__ import annotations

# A server with a log and tokens that expire, a network that breaks, events that cannot be read, and a follower between.
WORLD = """
Promise.all([import('/sources/jobs/job-follower.js'), import('/sources/jobs/job-messages.js')]).then(([{ JobFollower }, { readMessage }]) => {
  const faults = [];
  let ends = 0, outlived = 0;
  for (let seed = 1; seed <= 400; seed += 1) {
    let chance = seed * 2654435761 >>> 0;
    const draw = () => (chance = (Math.imul(chance, 1664525) + 1013904223) >>> 0) >>> 4;
    const count = 3 + draw() % 30;
    const life = 60000 + draw() % 200000;
    const pace = [1, 10, 60, 200][draw() % 4];
    const damaged = new Map(Array.from({ length: count }, (_, index) => [index + 1, ['', '', '', '', '', '', 'text', 'length'][draw() % 8]]));
    const event = (seq, covers) => damaged.get(seq) === 'text' ? null : readMessage(JSON.stringify({ type: seq === count ? 'job_complete' : seq % 5 ? 'job_progress' : 'new_kind', epoch: 1, seq, covers, payload: { progress: seq / count } }));
    const follower = new JobFollower({ tokenExpiry: life });
    const seen = [];
    let now = 0, tokenEnd = life, published = 1, stream = null, question = null, renewal = null, alarm = null;
    let finished = 0, told = 0, late = 0, renewals = 0, failedRenewals = 0, ending = null, atOnce = 0;
    let pending = follower.start(now);
    const take = (orders) => pending.push(...orders);
    const fail = (trouble, attempt) => { stream = null; take(follower.ended(trouble, attempt, now, draw())); };
    const obey = ({ order, ...more }) => {
      if (order === 'deliver') {
        late += finished;
        if (more.message.position) seen.push(more.message.position.seq);
        if (more.message.body.kind === 'ended') told += 1;
      }
      if (order === 'finish') { finished += 1; ending = more.ending; }
      if (order === 'wake') alarm = now + more.after;
      if (order === 'disconnect') stream = question = null;
      if (order === 'refreshToken') { atOnce += renewal === null ? 0 : 1; renewal = now + draw() % 3000; }
      if (order === 'poll') question = more;
      if (order === 'connect') {
        const { attempt, after } = more;
        if (now >= tokenEnd) return fail({ status: 401 }, attempt);
        if (draw() % 4 === 0) return fail({ status: [undefined, 503, 404][draw() % 3] }, attempt);
        stream = { attempt, sent: after?.seq ?? 0 };
        take(follower.opened(attempt, now));
      }
    };
    const renew = () => {
      if (renewal === null || renewal > now) return;
      renewal = null;
      if (draw() % 3 === 0) { failedRenewals += 1; return take(follower.tokenNotRefreshed({ status: draw() % 2 ? 503 : undefined }, now, draw())); }
      if (now >= tokenEnd) return take(follower.tokenNotRefreshed({ status: 401 }, now, draw()));
      [renewals, tokenEnd] = [renewals + 1, now + life];
      take(follower.tokenRefreshed(tokenEnd, now));
    };
    const answer = () => {
      const { after, attempt } = question;
      question = null;
      if (now >= tokenEnd) return take(follower.pollFailed({ status: 401 }, attempt, now, draw()));
      if (draw() % 4 === 0) return take(follower.pollFailed({}, attempt, now, draw()));
      const from = after?.seq ?? 0;
      const isOver = published === count;
      const messages = from > published
        ? [readMessage(JSON.stringify({ type: 'reconnected', epoch: 1, payload: { lastSeq: isOver ? count - 1 : published, recovered: false } })), ...(isOver ? [event(count)] : [])]
        : Array.from({ length: published - from }, (_, index) => event(from + 1 + index));
      take(follower.polled(messages, isOver ? 'succeeded' : 'running', attempt, now, draw()));
    };
    const speak = () => {
      const { attempt, sent } = stream;
      const what = draw() % 20;
      if (what === 0) return fail({ code: 1001 }, attempt);
      if (sent >= published) {
        if (sent >= count) return fail({ code: 1000 }, attempt);
        return what < 3 ? follower.heard(attempt, now) : undefined;
      }
      const next = what % 2 ? sent + 1 : sent + 1 + draw() % (published - sent);
      if (damaged.get(next) === 'length') return fail({ isUnreadable: true }, attempt);
      stream.sent = next;
      // Lost on the way.
      if (what === 1) return undefined;
      const message = event(next, next > sent + 1 ? sent + 1 : undefined);
      if (message === null) return follower.unreadable(attempt, now);
      take(follower.received(message, attempt, now, draw()));
      if (what === 2) take(follower.received(message, attempt, now, draw()));
    };
    for (let step = 0; step < 20000 && !finished; step += 1) {
      now += 1 + draw() % 800;
      if (draw() % pace === 0) published = Math.min(count, published + 1);
      const orders = pending;
      pending = [];
      orders.forEach(obey);
      if (finished) break;
      renew();
      if (question) answer(); else if (stream) speak();
      if (alarm !== null && alarm <= now) { alarm = null; take(follower.woke(now, draw())); }
    }
    // Nothing after the end, whatever still comes.
    for (const { order } of [...pending, ...follower.received(event(count) ?? {}, 99, now, draw()), ...follower.woke(now, draw())]) if (order === 'finish' || order === 'deliver') faults.push(`${seed}: ${order} after the end`);
    if (finished !== 1 || late > 0 || atOnce > 0) faults.push(`${seed}: ${finished} ends, ${late} messages behind, ${atOnce} renewals at once`);
    if (ending === 'ended' ? told !== 1 : ending !== 'unauthorized' || failedRenewals === 0 || now < tokenEnd) faults.push(`${seed}: ${ending}`);
    if (seen.some((seq, index) => index > 0 && seq <= seen[index - 1])) faults.push(`${seed}: ${seen}`);
    if (ending === 'ended') [ends, outlived] = [ends + 1, outlived + (renewals > 2 ? 1 : 0)];
  }
  return { faults, ends, outlived };
})
"""
