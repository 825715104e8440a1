# Debian, not Alpine: the same glibc that the service is tested with. docs/self-hosting.md says where the digest comes from and
# how to renew it.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# One of the packages for development.
COPY test/client-generators test/client-generators
RUN npm ci
COPY src src
COPY docs docs
COPY web web
# Without the files for Cloudflare.
RUN npm run build && rm -r dist/edge

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node itself, so the optional packages that carry it stay out.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force
COPY src src
COPY docs docs
# To know that the build is of these sources.
COPY web web
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The process itself, not npm, so that it gets the signals.
CMD ["node", "--disable-warning=ExperimentalWarning", "src/apps/start.js", "start"]
