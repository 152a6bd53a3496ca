# Countersign in an image of its own: the program, certificates and time zones.
#
#   docker build -t countersign --build-arg VERSION="$(git describe --always)" .
#   docker run -p 127.0.0.1:8080:8080 -v countersign:/data countersign

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/countersign . \
 && mkdir -p -m 0755 /out/own && mkdir -m 0700 /out/own/data /out/own/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /usr/local/go/lib/time/zoneinfo.zip /
COPY --from=build /out/countersign /
# A copied directory has the mode that it had only inside of one.
COPY --from=build --chown=65532:65532 /out/own/ /
# Inside, it has to listen on every address; which of them is reachable is up
# to whoever runs the image.
ENV COUNTERSIGN_ADDR=0.0.0.0:8080 COUNTERSIGN_DATA=/data ZONEINFO=/zoneinfo.zip
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/countersign"]
