/* global FILES: the build adds the names of all built files above this line. */
const CACHE = JSON.stringify(FILES);

addEventListener('install', (event) =>
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))),
);

addEventListener('activate', (event) => {
  const isOlder = (name) => name !== CACHE;
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter(isOlder).map((name) => caches.delete(name)))),
  );
});

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(registration.scope)) return;
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => caches.match('./')));
  else event.respondWith(caches.match(request, { ignoreVary: true }).then((kept) => kept ?? fetch(request)));
});
