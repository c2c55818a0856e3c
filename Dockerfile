# docker build --tag bellhop . && docker run --publish 3000:3000 --volume bellhop:/data bellhop
FROM oven/bun:1.4.5 AS build
WORKDIR /source
COPY . .
# Of the last release, in this folder: --build-arg PREVIOUS_PAGES=bellhop-1.4.0-pages.tar.gz
ARG PREVIOUS_PAGES
RUN bun install --frozen-lockfile && bun run build && mkdir --mode=700 /data

# glibc, certificates, and time zones: no shell, no package manager.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /source/dist/bellhop /usr/local/bin/bellhop
COPY --from=build --chown=nonroot:nonroot /data /data
ENV HOST=0.0.0.0 BELLHOP_DATA=/data
USER nonroot
VOLUME /data
EXPOSE 3000
# The first start after an upgrade may have to change a large database.
HEALTHCHECK --interval=30s --timeout=6s --start-period=10m --start-interval=2s CMD ["/usr/local/bin/bellhop", "health"]
# For the clean end of running requests and deliveries: docker stop --time 20.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/bellhop"]
CMD ["serve"]
