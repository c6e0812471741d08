# syntax=docker/dockerfile:1
# The backend: one image, the role is ROLE. Debian, since neither TDLib's nor PostgreSQL's prebuilt binaries run on musl.
#   docker build -f deploy/backend.Dockerfile -t tgcontrol/backend .

FROM node:20.20.2-bookworm-slim AS sources
ENV NEXT_TELEMETRY_DISABLED=1 SCARF_ANALYTICS=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY backend/package.json backend/
COPY backend/sandbox/package.json backend/sandbox/
COPY console/package.json console/

FROM sources AS build
RUN npm ci --workspace @tgcontrol/backend --include-workspace-root
COPY tsconfig.base.json nest-cli.json ./
COPY backend backend
RUN npm run build --workspace @tgcontrol/backend

FROM sources AS dependencies
RUN npm ci --omit=dev --workspace @tgcontrol/backend

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data UPLOADS_DIR=/uploads
WORKDIR /app
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/backend/package.json /app/backend/openapi.json backend/
COPY --from=build /app/backend/dist backend/dist
COPY LICENSE NOTICE ./
# New volumes take their owner from the folder of the image.
RUN install -d -o node -g node -m 0700 /data && install -d -o node -g node -m 0750 /uploads
USER node
EXPOSE 8080
VOLUME ["/data", "/uploads"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "backend/dist/main.js"]
