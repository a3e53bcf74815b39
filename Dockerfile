# The program alone: it is static and needs nothing else. The context is a folder with
# `amd64/codex-wire` and `arm64/codex-wire`; docs/releasing.md says how to build them.
#
#     docker build --file Dockerfile FOLDER
#     docker run --rm --volume "$PWD:/work" codex-wire check recordings
FROM scratch
ARG TARGETARCH
COPY ${TARGETARCH}/codex-wire /codex-wire
WORKDIR /work
ENTRYPOINT ["/codex-wire"]
