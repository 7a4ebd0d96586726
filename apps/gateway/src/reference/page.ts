import { createHash } from 'node:crypto'
import {
  type ApiDocument,
  type DocumentResponse,
  type DocumentSchemas,
  type ReferenceOperation,
  readDocument,
} from './document.ts'
import { formatCurlCommand } from './example.ts'
import { anchorOf, escapeHtml, renderBlock, renderCode, renderJson, renderTable } from './html.ts'
import { renderIntroduction } from './introduction.ts'
import { formatSchema } from './shape.ts'

/** Renders an OpenAPI document as a page without scripts and external resources, so that it works behind any proxy. */

const style = [
  'body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1a202c}',
  'summary{cursor:pointer;padding:.2rem 0}h2{margin-top:2.5rem;border-bottom:1px solid #cbd5e0}',
  'code,pre{font:13px ui-monospace,monospace}pre{background:#f7fafc;padding:.7rem;overflow:auto}',
  'b{display:inline-block;min-width:4.5rem;color:#2b6cb0}s{color:#718096}details[open]{margin-bottom:1.5rem}',
  'table{border-collapse:collapse}td,th{border:1px solid #e2e8f0;padding:.2rem .6rem;text-align:left;vertical-align:top}',
  'nav{columns:2}:target{background:#fefcbf}',
].join('')

/** Content security policy of the page: only its own style is allowed, by its hash. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`

export function renderReferencePage(given: unknown): string {
  const described = readDocument(given)
  const { info, rows, schemas } = described
  const groups = [...new Set(rows.map(({ group }) => group))]
  const title = escapeHtml(`${info.title} ${info.version}`)
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    `<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>`,
    `<h1>${title}</h1>`,
    renderContents(groups),
    renderIntroduction(described),
    ...groups.map((group) => renderGroup(group, described)),
    `<h2 id="shapes">Shapes</h2>${renderSchemas(schemas)}</body></html>`,
  ].join('\n')
}

function renderContents(groups: readonly string[]): string {
  const titles = ['Authentication', 'Errors', ...groups, 'Shapes']
  const links = titles.map((title) => `<a href="#${anchorOf(title)}">${escapeHtml(title)}</a>`)
  return `<nav>${links.join('<br>')}</nav>`
}

function renderGroup(group: string, { rows, schemas }: ApiDocument): string {
  const own = rows.filter((row) => row.group === group)
  const parts = own.map((row) => renderOperation(row, schemas))
  return `<h2 id="${anchorOf(group)}">${escapeHtml(group)}</h2>\n${parts.join('\n')}`
}

function renderOperation(row: ReferenceOperation, schemas: DocumentSchemas): string {
  const { method, path, summary, deprecated, parameters, requestBody, security } = row
  const name = renderCode(path)
  return [
    `<details id="${escapeHtml(row.operationId)}"><summary><b>${method}</b> ${deprecated ? `<s>${name}</s>` : name} ${escapeHtml(summary)}</summary>`,
    renderBlock(formatCurlCommand(row, schemas)),
    security?.length === 0 ? '<p>This operation needs no credential.</p>' : '',
    parameters.length > 0 ? renderParameters(row) : '',
    requestBody ? `<p>Body: ${formatBodies(requestBody.content)}</p>` : '',
    renderResponses(row),
    '</details>',
  ].join('')
}

function renderParameters({ parameters }: ReferenceOperation): string {
  const lines = parameters.map((one) => {
    const description = one.description ?? one.schema.description ?? ''
    const location = `${one.in}${one.required ? ', required' : ''}`
    return [
      renderCode(one.name),
      location,
      formatSchema(one.schema),
      escapeHtml(String(description)),
    ]
  })
  return renderTable(['Parameter', 'Location', 'Type', ''], lines)
}

/** Formats bodies; all JSON media types carry the same content and are named JSON. */
function formatBodies(content: DocumentResponse['content']): string {
  const carried = Object.entries(content).map(([type, { schema }]) =>
    type.endsWith('json')
      ? `${formatSchema(schema)} as JSON`
      : `${formatSchema(schema)} as ${renderCode(type)}`,
  )
  return [...new Set(carried)].join('; ')
}

function renderResponses({ responses }: ReferenceOperation): string {
  const all = Object.entries(responses)
  const own = all.filter(([, { $ref }]) => $ref === undefined)
  const failures = all.filter(([, { $ref }]) => $ref !== undefined)
  const links = failures.map(([status]) => `<a href="#error-${status}">${status}</a>`)
  return renderTable(
    ['Response', '', 'Body'],
    [
      ...own.map(([status, { description, content }]) => [
        status,
        escapeHtml(description),
        formatBodies(content),
      ]),
      [links.join(' '), 'Errors', ''],
    ],
  )
}

function renderSchemas(schemas: DocumentSchemas): string {
  const parts = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escapeHtml(name)}"><summary>${renderCode(name)}</summary>${renderJson(schema)}</details>`,
  )
  return parts.join('\n')
}
