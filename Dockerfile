# Both of the same Debian release, since the program is linked with its C libraries.
ARG SWIFT_IMAGE=swift:6.3.1-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
WORKDIR /build
COPY Config/setup Config/
RUN Config/setup
COPY . .
RUN swift build -c release --static-swift-stdlib --product pinpad \
 && install -D --strip "$(swift build -c release --static-swift-stdlib --show-bin-path)/pinpad" /out/pinpad

FROM ${DEBIAN_IMAGE}
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends libhiredis0.14 libjansson4 libmicrohttpd12 libsodium23 libstdc++6 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
COPY --from=build /out/pinpad /usr/local/bin/pinpad
# A number, so that an orchestrator sees that it isn't root.
USER 65532:65532
# In a container the loopback address reaches nobody; without API keys the program then refuses to start.
ENV PINPAD_LISTEN=0.0.0.0:8080 SWIFT_BACKTRACE=enable=no
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s CMD ["pinpad", "--health"]
ENTRYPOINT ["pinpad"]
