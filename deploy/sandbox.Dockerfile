# syntax=docker/dockerfile:1
# For tests and for trying it out: the product and the sandbox Telegram in one container, with the accounts of the demo.
#   docker build -f deploy/sandbox.Dockerfile -t tgcontrol/sandbox .

FROM node:20.20.2-bookworm-slim
ENV NEXT_TELEMETRY_DISABLED=1 SCARF_ANALYTICS=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY backend/package.json backend/
COPY backend/sandbox/package.json backend/sandbox/
COPY console/package.json console/
RUN npm ci
COPY . .
RUN node deploy/launch/build.mjs && install -d -o node -g node data
USER node
ENV LISTEN_ADDR=:8080 DEMO_CONTROL_HOST=0.0.0.0
EXPOSE 8080 8090
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "require('node:fs').accessSync('data/demo/env')"]
CMD ["node", "deploy/launch/demo.mjs"]
