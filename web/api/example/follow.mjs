// Follows a run and shows the text of each attempt as it comes.
//
//   node follow.mjs http://127.0.0.1:8080 KEY RUN

// AttemptOutput is what a run says so far. Text belongs to the attempt that
// wrote it, and leaves with it when it fails.
export class AttemptOutput {
  #seq = 0;
  #attempts = new Map();

  apply({ type, seq, data }) {
    if (seq !== null) {
      if (seq <= this.#seq) return; // it came before
      this.#seq = seq;
    }
    switch (type) {
      case 'model_attempt_started':
        this.#attempts.set(data.attempt_id, { answer: '', reasoning: '' });
        break;
      case 'assistant_delta':
        this.#write(data, 'answer');
        break;
      case 'reasoning_delta':
        this.#write(data, 'reasoning');
        break;
      case 'model_attempt_finished':
        if (data.outcome !== 'completed') this.#attempts.delete(data.attempt_id);
        break;
      case 'assistant_message': // what was stored counts, not what was streamed
        this.#attempts.set(data.attempt_id, { answer: data.text, reasoning: data.reasoning ?? '' });
        break;
      case 'run_finished':
        if (data.status !== 'succeeded') this.interrupt();
        break;
    }
  }

  // Text that starts at 0 takes the place of what there was; any other goes on.
  #write({ attempt_id, start, text }, channel) {
    const attempt = this.#attempts.get(attempt_id) ?? { answer: '', reasoning: '' };
    attempt[channel] = start === 0 ? text : attempt[channel] + text;
    this.#attempts.set(attempt_id, attempt);
  }

  interrupt() {
    this.#attempts.clear();
  }

  get text() {
    return this.#join('answer');
  }

  get reasoning() {
    return this.#join('reasoning');
  }

  #join(channel) {
    return [...this.#attempts.values()].map((a) => a[channel]).filter(Boolean).join('\n\n');
  }
}

// events yields the events of a run to its end. When the connection is lost it
// comes back, and goes on from where it was.
export async function* events(url, key, run) {
  for (let last = '', wait = 100; ; wait = Math.min(2 * wait, 10_000)) {
    try {
      const headers = { 'X-API-Key': key, ...(last && { 'Last-Event-ID': last }) };
      const response = await fetch(`${url}/v2/runs/${run}/events`, { headers });
      if (response.status >= 400 && response.status < 500) {
        throw Object.assign(new Error((await response.json()).error.message), { final: true });
      }
      if (response.ok) {
        for await (const { id, data } of serverSentEvents(response.body)) {
          last = id;
          wait = 100;
          const event = JSON.parse(data);
          yield event;
          if (event.type === 'run_finished') return;
        }
      }
    } catch (error) {
      if (error.final) throw error;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

// serverSentEvents reads the parts of this format that the server uses. A chunk
// may end anywhere, also inside a character.
async function* serverSentEvents(body) {
  let rest = '';
  let event = {};
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (event.data !== undefined) yield event;
        event = {};
      } else if (!line.startsWith(':')) {
        const colon = line.indexOf(': ');
        event[line.slice(0, colon)] = line.slice(colon + 2);
      }
    }
  }
}

if (globalThis.process?.argv[1] && import.meta.url.endsWith(process.argv[1].split('/').pop())) {
  const [url, key, run] = process.argv.slice(2);
  const output = new AttemptOutput();
  for await (const event of events(url, key, run)) {
    output.apply(event);
    // On a page: element.textContent = output.text, never innerHTML.
    console.log(JSON.stringify({ after: event.type, text: output.text, reasoning: output.reasoning }));
  }
}
