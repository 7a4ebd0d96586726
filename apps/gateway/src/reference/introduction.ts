import type { ApiDocument, DocumentResponse } from './document.ts'
import { escapeHtml, renderBlock, renderCode, renderTable } from './html.ts'

/** Returns the introduction for new users. A test executes the lines of `#first-calls`. */
export function renderIntroduction({ info, failures, rows }: ApiDocument): string {
  return [
    '<h2 id="begin">Introduction</h2>',
    `<p>This API as an OpenAPI document: <a href="schema">YAML</a>, <a href="schema?scheme=json">JSON</a>. Use it to generate clients in many languages. Paths are relative to the base URL of this server, ${renderCode('http://HOST:PORT/api')}.</p>`,
    ...info.description.split('\n\n').map((part) => `<p>${withCode(part)}</p>`),
    renderBlock(firstCalls, 'first-calls'),
    '<h2 id="authentication">Authentication</h2>',
    renderTable(['Caller', 'Credential'], ways),
    '<p>A call without a credential or with an invalid one returns 401. Operations that need no credential are marked.</p>',
    '<h2 id="errors">Errors</h2>',
    `<p>Every error has the headers ${renderCode('X-Error-Code')}, a stable name, and ${renderCode('X-Request-Id')}, which is also in the log of the server. The body is ${renderCode('{"detail", "code", "request_id"}')}; for invalid input it contains messages by the names of the fields, ${renderCode('{"name": ["This field is required."]}')}, or a list of messages.</p>`,
    renderTable(['Status', 'Meaning'], failuresTable({ failures, rows })),
  ].join('\n')
}

const firstCalls = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: of the shell
  'API=${API:-http://127.0.0.1:8080/api}',
  'NAME=admin PASSWORD=$(cat ${RETICLE_DATA_DIR:-.reticle}/admin-password)',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: of the shell
  '# an access token; its value is shown only once',
  'TOKEN=$(curl -s -u "$NAME:$PASSWORD" -H "Content-Type: application/json" \\',
  '  -d \'{"name": "scripts", "read_only": false}\' "$API/auth/access_tokens" | sed \'s/.*"value":"\\([^"]*\\)".*/\\1/\')',
  '# a project with one label, and the list of projects',
  'curl -s -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
  '  -d \'{"name": "streets", "labels": [{"name": "car"}]}\' "$API/projects"',
  'curl -s -H "Authorization: Bearer $TOKEN" "$API/projects?sort=-updated_date&page_size=5"',
].join('\n')

const ways = [
  [
    'a program',
    `${renderCode('Authorization: Bearer VALUE')} or ${renderCode('Authorization: Token VALUE')} with an access token of <a href="#createAccessToken">POST /auth/access_tokens</a>. A read-only token can read and export.`,
  ],
  [
    'a user',
    `HTTP Basic, the user name or the e-mail and the password: ${renderCode('curl -u NAME')}`,
  ],
  [
    'a page in a browser',
    `the cookie ${renderCode('sessionid')} of <a href="#login">POST /auth/login</a>; changes also need the value of the cookie ${renderCode('csrftoken')} in the header ${renderCode('X-CSRFToken')}`,
  ],
]

function failuresTable({ failures, rows }: Pick<ApiDocument, 'failures' | 'rows'>): string[][] {
  const statuses = new Map<string, string>()
  for (const { responses } of rows)
    for (const [status, { $ref }] of Object.entries(responses)) if ($ref) statuses.set(status, $ref)
  return [...statuses]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, $ref]) => [
      `<span id="error-${status}">${status}</span>`,
      escapeHtml(failureOf(failures, $ref)?.description ?? ''),
    ])
}

const failureOf = (failures: Record<string, DocumentResponse>, $ref: string) =>
  failures[$ref.split('/').at(-1) ?? '']

/** Formats text between backticks as code. */
const withCode = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
