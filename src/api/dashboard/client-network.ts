/** What a path of the pages names: the place as the routes have it, and the ids in it. */
export type Place = { place: string; id: string; delivery: string };

const WITH_IDS =
  /^(\/dashboard\/(?:keys|sessions|purchases|webhooks))\/([\w-]{1,80})(?:(\/deliveries)(?:\/([\w-]{1,80})(\/again))?)?$/;

export function placeOf(path: string): Place {
  const [, parent, id = "", list = "", delivery, act = ""] = WITH_IDS.exec(path) ?? [];
  if (parent === undefined) return { place: path, id: "", delivery: "" };
  const end = delivery === undefined ? "" : `/:delivery${act}`;
  return { place: `${parent}/:id${list}${end}`, id, delivery: delivery ?? "" };
}
