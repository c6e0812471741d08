# syntax=docker/dockerfile:1
# The console: static files behind Caddy, which passes the API on to a gateway (GATEWAY_UPSTREAM, default gateway:8080).
#   docker build -f deploy/console.Dockerfile -t tgcontrol/console .

FROM node:20.20.2-bookworm-slim AS build
ENV NEXT_TELEMETRY_DISABLED=1 SCARF_ANALYTICS=false NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY backend/package.json backend/
COPY backend/sandbox/package.json backend/sandbox/
COPY console/package.json console/
RUN npm ci --workspace @tgcontrol/console --include-workspace-root
COPY tsconfig.base.json ./
COPY console console
RUN npm run build --workspace @tgcontrol/console

FROM caddy:2.10.2-alpine
# Caddy wants a place for its state even where it keeps none: a read-only container gives it /tmp.
ENV XDG_CONFIG_HOME=/tmp XDG_DATA_HOME=/tmp
COPY Caddyfile /etc/caddy/Caddyfile
COPY --from=build /app/console/out /srv
# The right to bind low ports, which the image gives its program, would keep it from starting under no-new-privileges.
RUN setcap -r /usr/bin/caddy
USER 65534:65534
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/"]
