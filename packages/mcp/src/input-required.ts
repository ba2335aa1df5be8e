import { codes, McpError, type Params } from './messages.ts';
import { isObject, oneOf } from './shape.ts';

/**
 * A result that asks the client for something first, such as an answer of its user. In the newer protocol the client repeats its request
 * with the answers; in the older one the server sends the requests itself and calls the method again.
 */
export interface InputRequired {
  resultType: 'input_required';
  inputRequests?: Readonly<Record<string, InputRequest>>;
  /** Returned by the client unchanged, and untrusted then. */
  requestState?: string;
}

export interface InputRequest {
  method: string;
  params?: Params;
}

export const isInputRequired = (result: Params | InputRequired): result is InputRequired =>
  result.resultType === 'input_required';

/** The content of a form that the user accepted; null: declined, cancelled or no answer to a form. */
export function acceptedContent(response: Params | undefined): Params | null {
  return response?.action === 'accept' && isObject(response.content) ? response.content : null;
}

/** Throws if the client did not declare what it is asked for. */
export function requireCapabilities({ inputRequests = {} }: InputRequired, declared: Params): void {
  for (const [name, request] of Object.entries(inputRequests)) {
    const requiredCapabilities = missing(neededFor(request), declared);
    if (requiredCapabilities !== null)
      throw new McpError(
        codes.missingCapability,
        `Cannot request input '${name}' (${request.method}): the request's client capabilities do not declare the required capability`,
        { requiredCapabilities },
      );
  }
}

function neededFor({ method, params }: InputRequest): Record<string, Params> {
  if (method === 'elicitation/create') return { elicitation: params?.mode === 'url' ? { url: {} } : { form: {} } };
  if (method === 'sampling/createMessage') return { sampling: params?.tools === undefined ? {} : { tools: {} } };
  return { roots: {} };
}

function missing(needed: Record<string, Params>, declared: Params): Record<string, Params> | null {
  for (const [name, members] of Object.entries(needed)) {
    const has = declared[name];
    if (!isObject(has)) return { [name]: members };
    // A client that declares elicitation without a mode supports forms.
    const implied = name === 'elicitation' && has.url === undefined ? 'form' : null;
    const lacking = Object.keys(members).filter((member) => has[member] === undefined && member !== implied);
    if (lacking.length > 0) return { [name]: Object.fromEntries(lacking.map((member) => [member, {}])) };
  }
  return null;
}

export interface Rounds {
  method: string;
  ask(method: string, params: Params | undefined): Promise<Params>;
  /** Calls the method again, with the answers. */
  again(responses: Record<string, Params>, requestState: string | undefined): Promise<Params | InputRequired>;
}

const maxRounds = 2;

/** Asks a client of the older protocol until the method has a result. */
export async function fulfil(first: InputRequired, { method, ask, again }: Rounds): Promise<Params> {
  let result: Params | InputRequired = first;
  for (let round = 0; round < maxRounds; round++) {
    let responses: Record<string, Params>;
    try {
      responses = await answersTo(result, ask);
    } catch (error) {
      return failure(method, `Fulfilling input required by '${method}' failed: ${messageOf(error)}`);
    }
    result = await again(responses, result.requestState);
    if (!isInputRequired(result)) return result;
  }
  return failure(method, `${method} required input in more than ${maxRounds} rounds`);
}

async function answersTo({ inputRequests = {} }: InputRequired, ask: Rounds['ask']): Promise<Record<string, Params>> {
  const answers = Object.entries(inputRequests).map(async ([name, request]) => {
    const answer = await ask(request.method, request.params);
    const issue = request.method === 'elicitation/create' ? actions(answer.action) : null;
    if (issue !== null) throw new Error(`Invalid result for ${request.method}: action: ${issue.problem}`);
    return [name, answer] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

const actions = oneOf('accept', 'decline', 'cancel');

/** Agents read errors of tools as results. */
function failure(method: string, text: string): Params {
  if (method === 'tools/call') return { content: [{ type: 'text', text }], isError: true };
  throw new McpError(codes.internal, text);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
