import { expect, test } from "vitest";
import { loadPeer, needPeers } from "../../node/peers.ts";

const absent = (name: string, install?: string) => ({
  name,
  ...(install && { install }),
  load: () => Promise.reject(Object.assign(new Error(`no ${name}`), { code: "ERR_MODULE_NOT_FOUND" })),
});
const there = { name: "there", load: () => Promise.resolve(1) };

test("every package that is missing is named at once, with one command", async () => {
  await expect(loadPeer("it", there)).resolves.toBe(1);
  await needPeers("it", [there]);
  await expect(needPeers("serve: it", [absent("a"), there, absent("b", "b@2")])).rejects.toMatchObject({
    code: "PEER_MISSING",
    message: "serve: it needs the packages a and b; install them with: npm install a b@2",
    details: { packages: ["a", "b"] },
  });
});

test("a package that is there and does not load says why", async () => {
  const broken = { name: "c", load: () => Promise.reject(new Error("no library for this machine")) };
  await expect(loadPeer("it", broken)).rejects.toMatchObject({
    message: "it needs the package c; install it with: npm install c (no library for this machine)",
  });
});
