/** The minimal Worker: it reads the body, because workerd drops the connection otherwise, and responds with a constant. */
const RESPONSE = JSON.stringify({ ok: true });

export default {
  async fetch(request: Request): Promise<Response> {
    await request.arrayBuffer();
    return new Response(RESPONSE, { headers: { "Content-Type": "application/json" } });
  },
};
