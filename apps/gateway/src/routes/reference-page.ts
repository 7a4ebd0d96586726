import { createHash } from 'node:crypto'
import { z } from 'zod'

/** An OpenAPI document as a page to read: no script, nothing from elsewhere, so that it works behind any door. */

const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  schema: z.unknown(),
})
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).default(['Other']),
  summary: z.string().default(''),
  deprecated: z.boolean().default(false),
  parameters: z.array(parameter).default([]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
})
const described = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
})

type Described = z.infer<typeof operation>
interface Row extends Described {
  method: string
  path: string
}

const style = [
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a202c}',
  'summary{cursor:pointer;padding:.2rem 0}h2{margin-top:2.5rem;border-bottom:1px solid #cbd5e0}',
  'code,pre{font:13px ui-monospace,monospace}pre{background:#f7fafc;padding:.7rem;overflow:auto}',
  'b{display:inline-block;min-width:4.5rem;color:#2b6cb0}s{color:#718096}',
  'table{border-collapse:collapse}td,th{border:1px solid #e2e8f0;padding:.2rem .6rem;text-align:left;vertical-align:top}',
].join('')

/** What the page may load: its own style, by its hash. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`

export function referencePage(document: unknown): string {
  const { info, paths, components } = described.parse(document)
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method })),
  )
  const tags = [...new Set(rows.map(tagOf))].sort()
  const parts = tags.map((tag) =>
    section(
      tag,
      rows.filter((row) => tagOf(row) === tag),
    ),
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${json(schema)}</details>`,
  )
  const title = escaped(`${info.title} ${info.version}`)
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    `<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>`,
    `<h1>${title}</h1><p>Paths stand below the base URL. The same as a document: <a href="schema">YAML</a>, <a href="schema?scheme=json">JSON</a>.</p>`,
    `<p>${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(' · ')} · <a href="#schemas">Shapes</a></p>`,
    ...parts,
    `<h2 id="schemas">Shapes</h2>${schemas.join('\n')}</body></html>`,
  ].join('\n')
}

const tagOf = ({ tags: [tag = 'Other'] }: Row) => tag

function section(tag: string, rows: readonly Row[]): string {
  return `<h2 id="${escaped(tag)}">${escaped(tag)}</h2>\n${rows.map(operationPart).join('\n')}`
}

function operationPart(row: Row): string {
  const { method, path, summary, deprecated, parameters, requestBody, responses } = row
  const name = `<code>${escaped(path)}</code>`
  const head = `<b>${method.toUpperCase()}</b> ${deprecated ? `<s>${name}</s>` : name} ${escaped(summary)}`
  const body = requestBody === undefined ? '' : `<p>Body</p>${json(requestBody)}`
  const answers = Object.entries(responses).map(([status, one]) => `<p>${status}</p>${json(one)}`)
  return `<details id="${escaped(row.operationId)}"><summary>${head}</summary>${parametersTable(parameters)}${body}${answers.join('')}</details>`
}

function parametersTable(parameters: Described['parameters']): string {
  if (parameters.length === 0) return ''
  const lines = parameters.map(
    (one) =>
      `<tr><td><code>${escaped(one.name)}</code></td><td>${escaped(one.in)}${one.required ? ', required' : ''}</td><td><code>${escaped(JSON.stringify(one.schema))}</code></td></tr>`,
  )
  return `<table><tr><th>Parameter</th><th>Where</th><th>Shape</th></tr>${lines.join('')}</table>`
}

/** Names of shapes lead to them. */
const json = (value: unknown) =>
  `<pre>${escaped(JSON.stringify(value, null, 2)).replace(
    /#\/components\/schemas\/(\w+)/g,
    '<a href="#schema-$1">$1</a>',
  )}</pre>`

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)
