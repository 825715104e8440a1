#!/usr/bin/env bash
# A service is called through a circuit breaker, opened at half of the calls failing. The first call after the start is answered 402, no credits left, by one customer's account; then come two of other customers.
# Expected: 402, 200, 200: one of one is no rate, and an answer to one customer says nothing of the service.
# Seen on 2026-11-29: opossum 10.0.0 opens after the first call, since 1 of 1 is 100% and its `volumeThreshold` is 0: all customers are turned away for 30 seconds without a request. cockatiel 4.0.0 (both of its breakers that count a
# share), mollitia 0.1.1 and brakes 3.1.0 wait for more calls. What is no fault of the service has to be named, `errorFilter` in opossum: all four count a 402 as they count a 503.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts opossum@10.0.0 cockatiel@4.0.0 mollitia@0.1.1 brakes@3.1.0
cat > seen.mjs <<'JS'
import Brakes from "brakes";
import { CountBreaker, SamplingBreaker, circuitBreaker, handleAll } from "cockatiel";
import { Circuit, SlidingCountBreaker } from "mollitia";
import CircuitBreaker from "opossum";
const call = async (paid) => {
  if (!paid) throw Object.assign(new Error("402"), { status: 402 });
  return "200";
};
const withCockatiel = (breaker) => {
  const policy = circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker });
  return (paid) => policy.execute(() => call(paid));
};
const libraries = {
  opossum: () => {
    const breaker = new CircuitBreaker(call);
    return (paid) => breaker.fire(paid);
  },
  "cockatiel, SamplingBreaker": () => withCockatiel(new SamplingBreaker({ threshold: 0.5, duration: 30_000 })),
  "cockatiel, CountBreaker": () => withCockatiel(new CountBreaker({ threshold: 0.5, size: 10 })),
  mollitia: () => {
    const circuit = new Circuit({ func: call, options: { modules: [new SlidingCountBreaker()] } });
    return (paid) => circuit.execute(paid);
  },
  brakes: () => {
    const breaker = new Brakes(call);
    return (paid) => breaker.exec(paid);
  },
};
for (const [name, make] of Object.entries(libraries)) {
  const fire = make();
  const seen = [];
  for (const paid of [false, true, true]) seen.push(await fire(paid).catch(({ message }) => message.replace(/^\[.*\] /, "")));
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'opossum: 402, Breaker is open, Breaker is open
cockatiel, SamplingBreaker: 402, 200, 200
cockatiel, CountBreaker: 402, 200, 200
mollitia: 402, 200, 200
brakes: 402, 200, 200' ]
