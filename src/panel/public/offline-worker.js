// Service worker of the installed panel. It keeps one page, which says that the daemon cannot be reached, and no data: a
// state from a cache would look like the truth.
const CACHE = "santinela-offline-1";
const PAGE = "./offline.html";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add(new Request(PAGE, { cache: "reload" }))));
  self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(
    fetch(event.request).catch(() => caches.match(new URL(PAGE, self.registration.scope).href)),
  );
});
