/** The least that a Worker can do with a call: it takes the body in, because workerd drops the connection otherwise, and answers a constant. */
const RESPONSE = JSON.stringify({ ok: true });

export default {
  async fetch(request: Request): Promise<Response> {
    await request.arrayBuffer();
    return new Response(RESPONSE, { headers: { "Content-Type": "application/json" } });
  },
};
