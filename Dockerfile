# Debian, not Alpine: the same glibc that the service is tested with. docs/self-hosting.md says where the digest comes from and
# how to update it.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.package.json README.md LICENSE \
     wrangler.jsonc wrangler.site.jsonc ./
# One of the packages for development.
COPY test/client-generators test/client-generators
RUN npm ci
COPY src src
COPY docs docs
COPY web web
RUN npm run package && mv dist/toolbooth-[0-9]*.tgz /toolbooth.tgz

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
LABEL org.opencontainers.image.title="Toolbooth" \
      org.opencontainers.image.description="A metered utility-tools API anyone can run" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/toolbooth/toolbooth"
COPY --from=build /toolbooth.tgz /tmp/
# What users install from npm.
RUN npm install --global /tmp/toolbooth.tgz && rm /tmp/toolbooth.tgz && npm cache clean --force
# `.env` is read here. No VOLUME for the data: an unnamed volume looks permanent, but is lost with its container.
WORKDIR /app
RUN mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 PORT=8787 DATA_DIR=/data container=oci
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The process itself, not npm, so that it gets the signals.
CMD ["toolbooth", "start"]
