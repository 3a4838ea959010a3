// <pin-entry src="/v1/sessions/ID" token="…">: a field for a PIN or a code, kept by Pinpad.
// <pin-keypad for="ID of a pin-entry">: keys for a touch display.
//
// A transparent <input> lies over the session's picture. What is typed leaves it at once, goes to the session in order,
// and comes back as a count. Without markup and inline style, for strict policies.
(() => {
  'use strict';
  if (customElements.get('pin-entry')) return;

  const EVENTS = ['begin', 'change', 'delete', 'complete', 'end', 'hold', 'reject', 'configure', 'close'];
  // Stands in the input for each character that is in: a key that deletes has something to delete.
  const BULLET = '\u2022';
  // One autofill may be delivered twice in this time. Milliseconds.
  const ECHO = 300;
  const [SALT] = crypto.getRandomValues(new Int32Array(1));
  // A stream has a ping every 15 s.
  const SILENCE = 35000;

  const pause = (milliseconds) => new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    // No need to wait longer than the network is away.
    addEventListener('online', done);
  });

  // crypto.randomUUID exists in secure contexts only.
  const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16)).join('-');

  /** The characters of `text` that count, or null if one of them can't be in the alphabet: the service's own rule. */
  function characters(text, alphabet) {
    const kept = Array.from(text).filter((character) => !/[\p{White_Space}\p{Dash}\p{Cf}._/]/u.test(character));
    const allowed = alphabet === 'alphanumeric' ? /^[\p{Nd}A-Za-z]$/u : /^\p{Nd}$/u;
    return kept.every((character) => allowed.test(character)) ? kept : null;
  }

  // ---------------------------------------------------------------------------------------------------------------

  /** What happens to the sessions of one service that are on this page, over one connection for each 64. */
  class Connection {
    static #all = [];

    static to(base) {
      let connection = this.#all.find((one) => one.#base === base && one.#sessions.size < 64);
      if (!connection) this.#all.push(connection = new Connection(base));
      return connection;
    }

    #base;
    #sessions = new Set();
    #source = null;
    #heard = 0;
    #timer = 0;
    #opening = 0;
    // How long to poll.
    #rest = 2000;

    constructor(base) {
      this.#base = base;
      setInterval(() => this.#check(SILENCE), 5000);
      // A tab that slept can't tell how long.
      const woken = () => document.visibilityState === 'visible' && this.#check(16000);
      document.addEventListener('visibilitychange', woken);
      // A page that is kept for the way back must not keep a connection.
      addEventListener('pagehide', () => this.#stop());
      addEventListener('pageshow', ({ persisted }) => persisted && this.#open());
      addEventListener('online', () => this.#check(0));
    }

    add(session) {
      this.#sessions.add(session);
      this.#open();
    }

    remove(session) {
      this.#sessions.delete(session);
      this.#open();
    }

    #check(longest) {
      if (this.#source && Date.now() - this.#heard > longest) this.#fail();
    }

    #live() {
      return [...this.#sessions].filter((session) => !session.isOver);
    }

    // Many elements come and go at once: they share one opening.
    #open() {
      clearTimeout(this.#opening);
      this.#opening = setTimeout(() => this.#openNow());
    }

    #openNow() {
      this.#stop();
      const sessions = this.#live();
      const ids = [...new Set(sessions.map((session) => session.id))];
      if (ids.length === 0) return;
      const first = sessions[0];
      const url = ids.length > 1
        ? `${this.#base}/v1/events?sessions=${ids}`
        : first.url + '/events' + (first.eventId === undefined ? '' : '?lastEventId=' + first.eventId);
      const source = this.#source = new EventSource(url);
      this.#heard = Date.now();
      this.#expect(8000);
      for (const name of ['state', 'ping', ...EVENTS]) {
        source.addEventListener(name, ({ data }) => {
          this.#hear();
          if (name !== 'ping') this.#receive(name, JSON.parse(data));
        });
      }
      source.onopen = () => this.#hear();
      source.onerror = () => source.readyState === EventSource.CLOSED ? this.#fail() : this.#expect(4000);
    }

    #stop() {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#source?.close();
      this.#source = null;
    }

    #expect(milliseconds) {
      this.#timer ||= setTimeout(() => this.#fail(), milliseconds);
    }

    #hear() {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#heard = Date.now();
      this.#rest = 2000;
      for (const session of this.#sessions) session.setLost('stream', false);
    }

    #receive(name, data) {
      for (const session of this.#sessions) {
        if (session.id === data.id && !session.receive(name, data)) this.#poll(session).catch(() => {});
      }
      if (this.#live().length === 0) this.#stop();
    }

    #fail() {
      this.#stop();
      const again = Date.now() + this.#rest;
      this.#rest = Math.min(60000, 2 * this.#rest);
      const round = async () => {
        const results = await Promise.allSettled(this.#live().map((session) => this.#poll(session)));
        const reached = results.some((result) => result.status === 'fulfilled');
        if (!reached && await this.#refuses()) for (const session of this.#live()) session.setLost('refused', true);
        if (this.#timer !== timer || this.#live().length === 0) return;
        if (reached && Date.now() >= again) return this.#open();
        timer = this.#timer = setTimeout(round, reached ? 1000 : 2000);
      };
      let timer = this.#timer = setTimeout(round);
    }

    // It is there, but not for this page: any may show a picture.
    async #refuses() {
      const look = (mode) => fetch(this.#base + '/v1/cells.svg', {
        mode, cache: 'no-store', signal: AbortSignal.timeout(8000),
      }).catch(() => {});
      return await look('no-cors') && !await look('cors');
    }

    async #poll(session) {
      const query = session.eventId === undefined ? '' : '?after=' + session.eventId;
      try {
        const answer = await fetch(session.url + '/events' + query, {
          headers: { Accept: 'application/json' }, cache: 'no-store', signal: AbortSignal.timeout(8000),
        });
        if (answer.status === 404) return session.leave();
        if (!answer.ok) throw new Error(answer.statusText);
        for (const { event, data } of (await answer.json()).events) session.receive(event, data, true);
        session.setLost('stream', false);
      } catch (error) {
        session.setLost('stream', true);
        throw error;
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------------------

  /** A session as this page knows it: what the service has said, and what is on its way there. */
  class Session {
    #token;
    #element;
    #connection;
    // The newest state; the one that the request under way was made from.
    #state = null;
    #sentFrom = null;
    // Edits that are not answered; the first may be under way.
    #queue = [];
    #sending = false;
    #lost = new Set();
    #left = false;
    // Its last event has come. Its state says that it is closed before that.
    isOver = false;
    eventId;
    config = null;

    constructor(src, token, element) {
      const url = new URL(src, document.baseURI);
      const [, base, id] = /^(.*)\/v1\/sessions\/([^/?#]+)/.exec(url.href) ?? [];
      if (!id) throw new TypeError('src is not a session: ' + src);
      this.url = `${base}/v1/sessions/${id}`;
      this.base = base;
      this.id = id;
      this.#token = token;
      this.#element = element;
      this.#connection = Connection.to(base);
      this.#connection.add(this);
    }

    get state() { return this.#state; }
    get isReady() { return this.config !== null; }
    get isOpen() { return !this.#left && (this.#state?.status ?? 'open') === 'open'; }
    get trouble() {
      return ['refused', 'gone', 'token'].find((what) => this.#lost.has(what)) ?? (this.#lost.size > 0 ? 'lost' : '');
    }
    get canType() { return Boolean(this.#token) && this.isReady && this.isOpen && !this.#state.held; }
    get isSettled() { return this.#queue.length === 0; }
    /** Whether nothing on its way changes the text. */
    get isTextSettled() { return this.#queue.every(({ verb }) => verb === 'begin' || verb === 'end'); }

    set token(token) {
      this.#token = token;
      this.setLost('token', false);
      this.#send();
    }

    /** How it will be when everything on its way has arrived: that is what is shown. */
    get expected() {
      let { count, active, error } = this.#sentFrom ?? this.#state;
      for (const { verb, size } of this.#queue) {
        if (verb === 'begin' || verb === 'end') {
          active = verb === 'begin';
          continue;
        }
        const before = count;
        if (verb === 'insert') count = Math.min(this.config.length, count + size);
        else if (verb === 'delete-backward') count = Math.max(0, count - 1);
        else count = size;
        if (count !== before || verb === 'set') {
          error = null;
          active = !(this.config.endsOnComplete && count === this.config.length);
        }
      }
      return { count, active, error };
    }

    begin() {
      if (!this.canType) return;
      const { active, count } = this.expected;
      if (!active && count < this.config.length) this.#add({ verb: 'begin' });
    }

    end() {
      if (this.canType && this.expected.active) this.#add({ verb: 'end' });
    }

    /** False if it can't be entered. */
    enter(text, { replacing = false } = {}) {
      if (!this.canType) return false;
      const { length, alphabet, overflow } = this.config;
      const entered = characters(text, alphabet);
      const room = replacing ? length : length - this.expected.count;
      if (!entered || (entered.length > room && (overflow === 'reject' || room === 0))) return false;
      const taken = entered.slice(0, room);
      if (taken.length === 0) return true;
      const last = this.#queue.at(-1);
      if (!replacing && last?.verb === 'insert' && !last.body) {
        last.text += taken.join('');
        last.size += taken.length;
        this.#element.changed();
      } else {
        this.#add({ verb: replacing ? 'set' : 'insert', text: taken.join(''), size: taken.length });
      }
      return true;
    }

    deleteBackward(times = 1) {
      if (!this.canType) return;
      for (let i = 0; i < times; i += 1) this.#add({ verb: 'delete-backward' });
    }

    clear() {
      if (this.canType && this.expected.count > 0) this.#add({ verb: 'clear', size: 0 });
    }

    close() {
      this.#left = true;
      this.#queue = [];
      this.#connection.remove(this);
    }

    /** Gone from the service. */
    leave() {
      if (this.#left) return;
      this.close();
      this.setLost('gone', true);
      this.#element.changed();
    }

    setLost(what, lost) {
      const was = this.trouble;
      lost ? this.#lost.add(what) : this.#lost.delete(what) && this.#lost.delete('refused');
      if (was === this.trouble) return;
      this.#element.changed();
      if (what === 'refused') this.#element.tell('refused', this.#state);
      else if (!was) this.#element.tell('lost', this.#state);
    }

    /** False if events are missing before it. `exact`: it was asked for with the newest that is known. */
    receive(name, data, exact = false) {
      const known = this.eventId;
      const { config, ...state } = data;
      if (name === 'state') {
        // The events since then tell each step; a state would tell only where they led.
        if (!exact && known !== undefined && data.eventId > known) return false;
        this.eventId = data.eventId;
        this.config = config;
        this.isOver = state.status !== 'open';
        const moved = this.#state && state.revision !== this.#state.revision;
        this.#take(state, true);
        if (moved && known !== data.eventId) this.#element.tell('change', state);
        if (moved && this.isOver) this.#element.tell('close', state);
        return true;
      }
      if (known === undefined || data.eventId > known + 1) return false;
      if (data.eventId <= known) return true;
      this.eventId = data.eventId;
      if (config) this.config = config;
      this.isOver = name === 'close';
      this.#take(state);
      this.#element.tell(name, state);
      return true;
    }

    #take(state, always = false) {
      if (always || !this.#state || state.revision >= this.#state.revision) this.#state = state;
      // What was typed into a held or closed session was meant for the code before.
      if (!this.isOpen || this.#state.held) this.#drop();
      this.#element.changed();
    }

    #drop() {
      this.#queue = [];
      this.#sentFrom = null;
    }

    #add(edit) {
      this.#queue.push(edit);
      this.#element.changed();
      this.#send();
    }

    async #send() {
      if (this.#sending) return;
      this.#sending = true;
      // What is typed in one task goes in one request.
      await null;
      while (this.#queue.length > 0 && this.#token && !this.#left) {
        const edit = this.#queue[0];
        this.#sentFrom = this.#state;
        const answer = await this.#post(edit);
        this.#sentFrom = null;
        if (answer?.status === 200) {
          if (this.#queue[0] === edit) this.#queue.shift();
          this.#take(answer.state);
        } else {
          this.#refused(answer);
        }
      }
      this.#sending = false;
    }

    // What was typed after an edit that was refused, was typed in the belief that it had been made.
    #refused(answer) {
      this.#drop();
      if (!answer) return;
      if (answer.status === 401 || answer.status === 403) {
        this.#token = null;
        this.setLost('token', true);
      }
      if (answer.status === 404) return this.leave();
      if (answer.state) this.#take(answer.state);
      this.#element.changed();
    }

    // The same key and body each time: it is made once, however often it arrives.
    async #post(edit) {
      const counted = edit.verb === 'insert' || edit.verb === 'delete-backward';
      edit.body ??= JSON.stringify({ text: edit.text, at: counted ? this.#state.count : undefined });
      edit.key ??= newKey();
      for (let tries = 0; !this.#left; tries += 1) {
        let wait = Math.min(5000, 250 * 2 ** tries) * (0.75 + Math.random() / 2);
        try {
          const answer = await fetch(`${this.url}/${edit.verb}`, {
            method: 'POST',
            headers: {
              'Authorization': 'Bearer ' + this.#token,
              'Content-Type': 'application/json',
              'Idempotency-Key': edit.key,
            },
            body: edit.body,
            cache: 'no-store',
            signal: AbortSignal.timeout(10000),
          });
          if (answer.status < 500 && answer.status !== 429) {
            const json = await answer.json();
            this.setLost('post', false);
            return { status: answer.status, state: answer.status === 200 ? json : json.state };
          }
          wait = Math.max(wait, 1000 * (Number(answer.headers.get('Retry-After')) || 0));
        } catch {
          // Unreachable, or answered by something else on the way.
        }
        if (tries > 0) this.setLost('post', true);
        await pause(wait);
      }
      return null;
    }
  }

  // ---------------------------------------------------------------------------------------------------------------

  const pictures = new Map();
  // Addresses of styles that the service doesn't have.
  const unknown = new Set();

  function picture(url) {
    if (pictures.has(url)) return pictures.get(url);
    if (pictures.size > 500) pictures.clear();
    const promise = fetch(url, { signal: AbortSignal.timeout(10000) }).then(async (answer) => {
      if (answer.status === 422 && (await answer.json()).errors.some(({ parameter }) => parameter === 'style')) {
        unknown.add(url.split('&')[0]);
      }
      const svg = answer.ok && drawn(await answer.text());
      if (!svg) throw new Error('no picture');
      svg.setAttribute('part', 'picture');
      return svg;
    });
    pictures.set(url, promise);
    promise.catch(() => pictures.delete(url));
    return promise;
  }

  /** Builds the shapes of an SVG and nothing else. A browser's parser would need a Trusted Types policy. */
  function drawn(text) {
    const open = [];
    let svg = null;
    for (const [, end, tag, attributes, empty] of text.matchAll(/<(\/?)(\w+)([^>]*?)(\/?)>/g)) {
      if (!/^(svg|g|rect|circle|ellipse|line|path|poly\w+)$/.test(tag)) continue;
      if (end) {
        open.pop();
        continue;
      }
      const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [, name, value] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) {
        if (!/^(on|aria|xmlns|role|style|href)/.test(name)) node.setAttribute(name, value);
      }
      if (open.length > 0) open.at(-1).append(node);
      else svg ??= node;
      if (!empty) open.push(node);
    }
    return svg;
  }

  const hexadecimal = (rgb) =>
    '#' + rgb.match(/\d+/g).slice(0, 3).map((part) => (+part + 256).toString(16).slice(1)).join('');

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function sheet(text) {
    const styles = new CSSStyleSheet();
    styles.replaceSync(text);
    return styles;
  }

  const entryStyle = sheet(`
    :host { display: inline-block; max-inline-size: 100%; vertical-align: middle; }
    :host([hidden]) { display: none; }
    .box { position: relative; inline-size: fit-content; max-inline-size: 100%; min-inline-size: 44px;
      min-block-size: 44px; direction: ltr; border-radius: 6px; }
    .box:focus-within { outline: 2px solid var(--pin-focus-color, currentColor); outline-offset: 3px; }
    svg { display: block; max-inline-size: 100%; block-size: auto; overflow: visible; }
    :host(:disabled) .cells { opacity: .5; }
    :host(:state(lost)) .cells { opacity: .5; }
    input { position: absolute; inset: 0; box-sizing: border-box; inline-size: 100%; block-size: 100%; margin: 0;
      padding: 0; border: 0; outline: 0; background: none; font: 16px monospace; color: transparent;
      caret-color: transparent; forced-color-adjust: none; cursor: text; }
    input::selection { background: none; color: transparent; }
    input:autofill { background-clip: text; -webkit-text-fill-color: transparent; }
    .message { margin: .25rem 0 0; font: inherit; }
    .message:empty { display: none; }
    .hint { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; color: CanvasText;
      background: Canvas; }
    @media (prefers-reduced-motion: no-preference) {
      [class^=pinpad-shake] { animation: shake .4s; }
      @keyframes shake { 20%, 60% { transform: translateX(-6px); } 40%, 80% { transform: translateX(6px); } }
    }
  `);

  class PinEntry extends HTMLElement {
    static formAssociated = true;
    static observedAttributes = ['src', 'token', 'label', 'readonly'];

    /** What is said to people. */
    static words = {
      count: (count, length) => `${count} of ${length}`,
      short: (count, length) => `Enter all ${length} characters; ${count} are in.`,
      wrong: (alphabet) => alphabet === 'digits' ? 'Digits only.' : 'Letters A to Z and digits only.',
      wait: 'Not ready yet. Try again in a moment.',
      rejected: 'Not accepted. Try again.',
      lost: 'No connection.',
      gone: 'This entry does not exist, or is over.',
      token: 'Not allowed to type here.',
      refused: 'Not allowed on this page.',
    };

    #internals = this.attachInternals();
    #cells = make('div', { 'part': 'cells', 'class': 'cells', 'aria-hidden': 'true' });
    #input = make('input', {
      part: 'input', type: 'text', autocomplete: 'one-time-code', inputmode: 'numeric', translate: 'no',
      spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off', 'aria-describedby': 'hint message',
    });
    #hint = make('span', { id: 'hint', class: 'hint', 'aria-live': 'polite', 'aria-atomic': 'true' });
    #message = make('p', { id: 'message', part: 'message', class: 'message', role: 'status' });
    #session = null;
    #token = null;
    #disabled = false;
    // How many bullets are in the input.
    #bullets = 0;
    #shown = '';
    #echo = null;
    #composing = false;
    // What was typed last can't be in the alphabet.
    #wrong = false;
    // Something was typed before the session was known.
    #waiting = false;
    // The first of the pictures that were fetched.
    #ahead = '';
    // Makes a submission that was too early.
    #submission = null;
    #media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query));
    #redraw = () => this.changed();
    #click = (event) => {
      const button = event.composedPath().find(({ type, form }) => type === 'submit' && form === this.form);
      if (button && !event.defaultPrevented && this.#defers(button)) event.preventDefault();
    };

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
      root.adoptedStyleSheets = [entryStyle];
      root.append(make('div', { class: 'box', translate: 'no' }, this.#cells, this.#input, this.#hint), this.#message);
      const input = this.#input;
      input.addEventListener('input', (event) => event.isComposing || this.#takeInput(event.inputType));
      input.addEventListener('compositionstart', () => { this.#composing = true; });
      input.addEventListener('compositionend', () => this.#takeInput('insertCompositionText'));
      input.addEventListener('beforeinput', (event) => /^history/.test(event.inputType) && event.preventDefault());
      input.addEventListener('keydown', (event) => this.#keyDown(event));
      input.addEventListener('click', () => this.#toEnd());
      for (const name of ['copy', 'cut']) input.addEventListener(name, (event) => event.preventDefault());
      input.addEventListener('focus', () => {
        this.#toEnd();
        this.#session?.begin();
      });
      // Another window in front is no end.
      input.addEventListener('blur', () => document.hasFocus() && this.#session?.end());
    }

    connectedCallback() {
      // Set before the element was defined.
      for (const name of ['token', 'src', 'label', 'disabled', 'readOnly']) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
      for (const media of this.#media) media.addEventListener('change', this.#redraw);
      document.addEventListener('click', this.#click);
      this.#connect();
    }

    disconnectedCallback() {
      for (const media of this.#media) media.removeEventListener('change', this.#redraw);
      document.removeEventListener('click', this.#click);
      this.#disconnect();
    }

    attributeChangedCallback(name, before, value) {
      if (name === 'token') {
        if (value === null) return;
        this.token = value;
        this.removeAttribute('token');
      } else if (name === 'src') {
        if (before === value) return;
        this.#disconnect();
        this.#connect();
      } else {
        this.changed();
      }
    }

    formDisabledCallback(disabled) {
      this.#disabled = disabled;
      this.changed();
    }

    formResetCallback() { this.clear(); }

    get src() { return this.getAttribute('src') ?? ''; }
    set src(src) { this.setAttribute('src', src); }
    get label() {
      const [label] = this.#internals.labels;
      return this.getAttribute('label') ?? (label?.textContent.trim() || this.#session?.config?.label || 'PIN');
    }
    set label(label) { this.setAttribute('label', label); }
    get disabled() { return this.hasAttribute('disabled'); }
    set disabled(disabled) { this.toggleAttribute('disabled', disabled); }
    get readOnly() { return this.hasAttribute('readonly'); }
    set readOnly(readOnly) { this.toggleAttribute('readonly', readOnly); }
    get name() { return this.getAttribute('name') ?? ''; }
    set name(name) { this.setAttribute('name', name); }
    get type() { return this.localName; }
    get form() { return this.#internals.form; }
    get validity() { return this.#internals.validity; }
    get validationMessage() { return this.#internals.validationMessage; }
    get willValidate() { return this.#internals.willValidate; }
    checkValidity() { return this.#internals.checkValidity(); }
    reportValidity() { return this.#internals.reportValidity(); }

    set token(token) {
      this.#token = token || null;
      if (this.#session) this.#session.token = this.#token;
      this.changed();
    }

    /** The session's id: what a form sends, so that its receiver may redeem. */
    get value() { return this.#session?.id ?? ''; }

    get state() { return this.#session?.state ?? null; }
    get config() { return this.#session?.config ?? null; }

    focus(options) { this.#input.focus(options); }
    blur() { this.#input.blur(); }
    clear() { if (this.#canType) this.#session.clear(); }
    deleteBackward() { if (this.#canType) this.#session.deleteBackward(); }
    insertText(text) { return this.#canType && this.#session.enter(String(text)); }

    get #canType() { return !this.#disabled && !this.readOnly && Boolean(this.#session?.canType); }

    #connect() {
      if (!this.isConnected || this.#session || !this.src) return;
      this.#session = new Session(this.src, this.#token, this);
      this.#internals.setFormValue(this.#session.id);
      this.changed();
    }

    #disconnect() {
      this.#session?.close();
      this.#session = null;
      this.#submission = null;
      this.#internals.setFormValue(null);
    }

    /** The session has an event for the page. */
    tell(name, state) {
      this.dispatchEvent(new CustomEvent('pin-' + name, { bubbles: true, composed: true, detail: state }));
    }

    /** The session, or something else that is shown, may be another. */
    changed() {
      const session = this.#session;
      const input = this.#input;
      input.setAttribute('aria-label', this.label);
      input.disabled = this.#disabled;
      if (this.#submission && !this.#isLate) {
        queueMicrotask(this.#submission);
        this.#submission = null;
      }
      const words = PinEntry.words;
      const trouble = session?.trouble;
      this.#flag('lost', Boolean(trouble));
      this.#flag('refused', trouble === 'refused');
      if (!session?.isReady) {
        input.readOnly = this.readOnly;
        this.#say(this.#message, words[trouble] ?? '');
        this.#internals.setValidity({ tooShort: true }, words[trouble] ?? words.wait, input);
        return;
      }
      const { config, state, expected } = session;
      const { count, error } = expected;
      input.readOnly = !this.#canType;
      input.inputMode = config.alphabet === 'digits' ? 'numeric' : 'text';
      input.autocapitalize = config.alphabet === 'digits' ? 'off' : 'characters';
      this.#say(this.#hint, words.count(count, config.length));
      this.#say(this.#message, this.#wrong ? words.wrong(config.alphabet)
        : error !== null ? error || words.rejected : words[trouble] ?? '');
      input.setAttribute('aria-invalid', String(error !== null));
      const complete = state.complete && session.isTextSettled;
      this.#flag('complete', complete);
      this.#flag('held', state.held);
      this.#flag('error', error !== null);
      this.#flag('sending', !session.isSettled);
      this.#internals.setValidity({ tooShort: !complete }, complete ? ''
        : words[trouble] ?? (this.#isLate ? words.wait : words.short(count, config.length)), input);
      // A composition under way must not be disturbed.
      if (this.#waiting) this.#takeInput('insertText');
      else if (!this.#composing) this.#fill(count);
      this.#draw(expected);
    }

    // Whether it would be complete if all had arrived.
    get #isLate() {
      const session = this.#session;
      return session && !session.trouble && (this.#waiting
        || session.isReady && !session.isTextSettled && session.expected.count === session.config.length);
    }

    #defers(button) {
      if (!this.form || !this.#isLate) return false;
      this.#submission = () => this.form?.requestSubmit(button);
      return true;
    }

    #flag(name, on) {
      on ? this.#internals.states.add(name) : this.#internals.states.delete(name);
    }

    // The same words again would be read again.
    #say(node, text) {
      if (node.textContent !== text) node.textContent = text;
    }

    #fill(count) {
      const value = BULLET.repeat(count);
      this.#bullets = count;
      if (this.#input.value === value) return;
      this.#input.value = value;
      this.#toEnd();
    }

    #toEnd() {
      const { value, selectionStart, selectionEnd } = this.#input;
      if (selectionStart === selectionEnd) this.#input.setSelectionRange(value.length, value.length);
    }

    #keyDown(event) {
      if (event.isComposing) return;
      if (event.key === 'Enter') return this.#defers() || this.form?.requestSubmit();
      if (!/^(Arrow|Home|End)/.test(event.key)) this.#toEnd();
      if (event.key !== 'Backspace' || this.#bullets > 0 || this.#input.value) return;
      // Nothing to delete changes nothing, but is an event.
      event.preventDefault();
      if (!event.repeat && this.#canType) this.#session.deleteBackward();
    }

    // Takes out of the input what was typed into it.
    #takeInput(type) {
      this.#composing = false;
      const session = this.#session;
      if (!session?.isReady) {
        this.#waiting = true;
        return;
      }
      this.#waiting = false;
      const before = this.#bullets;
      const typed = this.#input.value.replaceAll(BULLET, '');
      const kept = Math.min(before, this.#input.value.length - typed.length);
      this.#fill(session.expected.count);
      if (!this.#canType) return this.changed();
      this.#wrong = !characters(typed, session.config.alphabet);
      if (typed.length >= session.config.length && this.#isEcho(typed, type)) return;
      if (typed && kept === 0 && before > 0) session.enter(typed, { replacing: true });
      else if (kept === 0 && before > 1) session.clear();
      else {
        session.deleteBackward(before - kept);
        if (typed) session.enter(typed);
      }
      this.changed();
    }

    // Whether this code has just been filled in. What is kept of it for that long is a number.
    #isEcho(typed, type) {
      if (/Paste|Composition|Drop/.test(type)) return false;
      const mark = Array.from(typed).reduce((sum, one) => Math.imul(sum ^ one.codePointAt(), 0x01000193), SALT);
      if (this.#echo === mark) return true;
      this.#echo = mark;
      setTimeout(() => { this.#echo = null; }, ECHO);
      return false;
    }

    // ---- Cells

    async #draw(expected) {
      const { config, state, isTextSettled, url } = this.#session;
      const cells = this.#countURL(expected);
      const own = `${url}/cells.svg?revision=${state.revision}`;
      const shows = config.reveal && isTextSettled && expected.count > 0 && state.status === 'open';
      const wanted = shows ? cells + own : cells;
      if (wanted === this.#shown) return;
      this.#shown = wanted;
      // If there is no dark variant, that is known after the first.
      const svg = (await picture(cells).catch(() => picture(this.#countURL(expected))).catch(() => picture(own))
        .catch(() => null))?.cloneNode(true);
      if (this.#shown !== wanted) return;
      if (svg) this.#cells.replaceChildren(svg);
      else this.#shown = '';
      this.#fetchAhead();
      if (!svg || !shows) return;
      // Only the session's own picture has its characters: they take the place of the dots.
      const text = (await picture(own).catch(() => null))?.querySelector('path')?.parentNode.cloneNode(true);
      if (!text) return;
      const dots = svg.querySelector('circle')?.parentNode;
      if (dots) text.setAttribute('stroke', dots.getAttribute('fill'));
      else if (this.#media[1].matches) text.setAttribute('stroke', 'Canvas');
      dots?.remove();
      svg.append(text);
    }

    // Fetched once: a typed digit fills its cell at once and costs one request.
    #fetchAhead() {
      if (!this.#session) return;
      const { length } = this.#session.config;
      const urls = Array.from({ length: length + 1 },
        (_, count) => this.#countURL({ count, active: true, error: null }));
      if (urls[0] === this.#ahead) return;
      this.#ahead = urls[0];
      for (const url of urls) picture(url).catch(() => {});
    }

    #countURL({ count, active, error }) {
      const { base, config, state } = this.#session;
      const { name, ...options } = config.style;
      const own = getComputedStyle(this.#hint);
      const isForced = this.#media[1].matches;
      // In a dark colour scheme the colours are the dark variant's, if there is one.
      const address = (style) => `${base}/v1/cells.svg?${new URLSearchParams({ style })}`;
      const isDark = !isForced && own.color !== 'rgb(0, 0, 0)' && !name.endsWith('-dark')
        && !unknown.has(address(name + '-dark'));
      const query = new URLSearchParams({ length: config.length, count });
      for (const [option, value] of Object.entries(options)) {
        let given = value;
        if (isForced && /Color$/.test(option)) {
          // What is neither filled nor empty, or has no border, is grey.
          given = /^empty/.test(option) || (option === 'errorColor' && options.emptyColor) ? '#808080'
            : hexadecimal(/^(cell|background)/.test(option) ? own.backgroundColor : own.color);
        } else if (/Color$/.test(option)) {
          const property = '--pin-' + option.replace('Color', '-color');
          given = own.getPropertyValue(property).trim() || (isDark && value !== 'transparent' ? '' : value);
        }
        // An empty list, as of groups, is what is drawn without one.
        if (String(given ?? '')) query.set(option, given);
      }
      if (options.caret && active && count < config.length) query.set('active', 'true');
      if (error !== null) query.set('error', 'true');
      if (state.status === 'accepted') query.set('accepted', 'true');
      return `${address(isDark ? name + '-dark' : name)}&${query}`;
    }
  }

  // ---------------------------------------------------------------------------------------------------------------

  const keypadStyle = sheet(`
    :host { display: grid; grid-template-columns: repeat(3, minmax(44px, 1fr)); gap: 8px; max-inline-size: 20rem;
      direction: ltr; }
    :host([hidden]) { display: none; }
    button { display: grid; place-items: center; min-block-size: 60px; min-inline-size: 44px; padding: 0;
      font: 500 1.5rem/1 system-ui, sans-serif; color: var(--pin-key-text-color, CanvasText);
      background: var(--pin-key-color, Canvas); border: 1px solid var(--pin-key-border-color, GrayText);
      border-radius: 12px; cursor: pointer; touch-action: manipulation; user-select: none; }
    button:hover, button:active { box-shadow: inset 0 0 0 2px var(--pin-key-border-color, GrayText); }
    button:active { opacity: .7; }
    button:focus-visible { outline: 2px solid var(--pin-focus-color, currentColor); outline-offset: 2px; }
  `);

  const icon = (path) => drawn('<svg viewBox="0 0 24 24" width="28" height="28" fill="none" stroke="currentColor"'
    + ` stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`);

  /** Every key gives the same signal, whichever it is. */
  class PinKeypad extends HTMLElement {
    static observedAttributes = ['shuffle'];
    static words = { keypad: 'Keypad', clear: 'Clear', delete: 'Delete' };

    #digits = Array.from({ length: 10 }, () => this.#key('', (entry, digit) => entry.insertText(digit)));
    // The digits don't move while an entry is under way.
    #again = (event) => event.composedPath()[0] === this.entry && this.#deal();

    constructor() {
      super();
      const { words } = PinKeypad;
      const clear = this.#key(icon('M6 6l12 12M18 6L6 18'), (entry) => entry.clear(), words.clear);
      const back = this.#key(icon('M9 5h12v14H9l-6-7zM12 9l6 6m0-6l-6 6'),
        (entry) => entry.deleteBackward(), words.delete);
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [keypadStyle];
      root.append(...this.#digits.slice(0, 9), clear, this.#digits[9], back);
      // The field keeps the focus when a key is pressed.
      for (const name of ['pointerdown', 'mousedown']) root.addEventListener(name, (event) => event.preventDefault());
      this.#deal();
    }

    connectedCallback() {
      if (!this.hasAttribute('role')) this.setAttribute('role', 'group');
      if (!this.hasAttribute('aria-label')) this.setAttribute('aria-label', PinKeypad.words.keypad);
      document.addEventListener('pin-complete', this.#again);
    }

    disconnectedCallback() { document.removeEventListener('pin-complete', this.#again); }

    attributeChangedCallback() { this.#deal(); }

    /** The `<pin-entry>` that the keys belong to. */
    get entry() { return this.getRootNode().getElementById?.(this.getAttribute('for')) ?? null; }

    #deal() {
      const digits = Array.from('1234567890');
      if (this.hasAttribute('shuffle')) {
        for (let i = digits.length - 1; i > 0; i -= 1) {
          // Every place is as likely as another.
          let random;
          do [random] = crypto.getRandomValues(new Uint8Array(1)); while (random >= 256 - 256 % (i + 1));
          const j = random % (i + 1);
          [digits[i], digits[j]] = [digits[j], digits[i]];
        }
      }
      digits.forEach((digit, place) => { this.#digits[place].textContent = digit; });
    }

    #key(face, press, label) {
      const key = make('button', { type: 'button', part: 'key' }, face);
      if (label) key.setAttribute('aria-label', label);
      key.addEventListener('click', () => {
        navigator.vibrate?.(10);
        if (this.entry) press(this.entry, key.textContent);
      });
      return key;
    }
  }

  customElements.define('pin-entry', PinEntry);
  customElements.define('pin-keypad', PinKeypad);
})();
