#!/bin/sh
# The certificates of these tests, good for a hundred years: an authority, a server of the name extender.test and of
# 127.0.0.1, a client, and another authority.
set -e
for name in ca other; do
    openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -keyout "$name.key" -out "$name.pem" -subj "/CN=$name" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
done
for name in server client; do
    openssl req -newkey rsa:2048 -nodes -keyout "$name.key" -out "$name.csr" -subj "/CN=$name"
    printf 'subjectAltName=DNS:extender.test%s\n' "$([ "$name" = server ] && echo ,IP:127.0.0.1)" > ext
    openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 36500 -out "$name.pem" -extfile ext
done
rm -f ./*.csr ./*.srl ext ca.key other.key
