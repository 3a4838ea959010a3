// Inserting a digit, on Node's http.
'use strict';
const http = require('http');

const sessions = new Map();

function insert(id, body) {
  let digit;
  try { digit = JSON.parse(body).text; } catch { return null; }
  if (typeof digit !== 'string' || !/^[0-9]$/.test(digit)) return null;
  let session = sessions.get(id);
  if (!session) sessions.set(id, session = { text: '', revision: 0 });
  session.text = (session.text.length < 6 ? session.text : '') + digit;
  session.revision++;
  const count = session.text.length;
  return { id, length: 6, count, active: true, complete: count === 6, revision: session.revision };
}

http.createServer((request, response) => {
  const id = /^\/v1\/sessions\/([\w-]+)\/insert$/.exec(request.url)?.[1];
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const state = id && request.method === 'POST' ? insert(id, body) : null;
    const answer = Buffer.from(JSON.stringify(state ?? { status: 422 }));
    response.writeHead(state ? 200 : 422, {
      'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Content-Length': answer.length,
    });
    response.end(answer);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
