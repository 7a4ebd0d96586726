import { restOperations } from '@reticle/contracts/api/index'
import { isBytes, isPage, type Operation, takesKey } from '@reticle/contracts/api/operation'
import { apiVersion, buildOpenapi } from '@reticle/contracts/openapi'
import { annotationSet } from '@reticle/contracts/rest/annotations'
import { shownAs } from '@reticle/contracts/rest/common'
import { z } from 'zod'
import { isName, type JsonSchema, printInterface, printType } from './type-printer.ts'

/**
 * Generates the parts of the SDK that follow from the operation table: rows used at run time, types, and typed methods.
 */

const folder = 'packages/sdk/src'
const head = '/** Written by `npm run codegen` from the table of operations. */\n'

export function sdkFiles(): Record<string, string> {
  return {
    [`${folder}/generated/rows.ts`]: rowsFile(),
    [`${folder}/generated/schemas.ts`]: schemasFile(),
    [`${folder}/client/generated/methods.ts`]: methodsFile(),
  }
}

type Kind = 'json' | 'page' | 'set' | 'bytes' | 'nothing' | 'redirect'

/** Kind of the answer of a call. Bytes that are documented as JSON are returned as JSON. */
function kindOf({ success, answers }: Operation): Kind {
  const schema = answers[success]
  if (success >= 300 && success < 400) return 'redirect'
  if (!schema || schema instanceof z.ZodUndefined || success === 204) return 'nothing'
  if (isPage(schema)) return 'page'
  if (!isBytes(schema)) return schema instanceof z.ZodUnknown ? 'bytes' : 'json'
  const shown = shownAs(schema)
  if (shown === annotationSet) return 'set'
  return shown ? 'json' : 'bytes'
}

/** Names of the file fields of a form. */
const filesOf = ({ form }: Operation): string[] =>
  Object.entries(form?.shape ?? {}).flatMap(([name, schema]) => (isBytes(schema) ? [name] : []))

/** Operations of the resumable upload protocol below a collection, by its path. */
const isCollection = (operation: Operation): boolean =>
  filesOf(operation).length > 0 &&
  restOperations.some(
    (one) => one.media_type && one.path === `${operation.path.replace(/\/$/, '')}/:file_id`,
  )

function rowsFile(): string {
  const rows = restOperations.map((one) => `  ${one.name}: ${JSON.stringify(rowOf(one))},`)
  return `${head}
/** The version of the interface that this client was made for. */
export const apiVersion = '${apiVersion}'

export const rows = {
${rows.join('\n')}
} as const
`
}

function rowOf(operation: Operation) {
  const { method, path, headers, success, media_type } = operation
  const files = filesOf(operation)
  const named = Object.keys(headers?.shape ?? {})
  return {
    ...{ method, path, success, answer: kindOf(operation) },
    ...(named.length > 0 && { headers: named }),
    ...(files.length > 0 && { files }),
    ...(isCollection(operation) && { in_pieces: true }),
    ...(media_type && { media_type }),
    ...(takesKey(operation) && { takes_key: true }),
  }
}

const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.unknown())),
    components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  })
  .parse(buildOpenapi(restOperations))

function schemasFile(): string {
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) =>
    printInterface(name, schema as JsonSchema),
  )
  return `${head}\n${[...shapes, ...writtenSets()].join('\n')}`
}

/** Types of annotation sets to send, where fields with defaults are optional. */
function writtenSets(): string[] {
  const { $defs = {} } = z.toJSONSchema(z.object({ it: annotationSet }), { io: 'input' })
  const renamed: Record<string, JsonSchema> = JSON.parse(
    JSON.stringify($defs).replace(/#\/\$defs\/(\w+)/g, '#/$defs/$1Write'),
  )
  return Object.entries(renamed).map(([name, schema]) => printInterface(`${name}Write`, schema))
}

function methodsFile(): string {
  const text = restOperations.map(methodOf).join('\n')
  const names = [
    ...Object.keys(document.components.schemas),
    ...['AnnotationSetWrite', 'ShapeWrite', 'TagWrite', 'TrackWrite'],
  ]
  const used = names.filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text.replace(/^ *\/?\*.*$/gm, '')),
  )
  return `${head}import type { SetChange, SetWrite } from '../../annotations/items.ts'
import type {
  Call,
  Collection,
  FormCall,
  JsonLogic,
  Listing,
  NoInput,
  SetCall,
  Text,
} from '../method-types.ts'
import type {
${used.map((name) => `  ${name},`).join('\n')}
} from '../../generated/schemas.ts'

export interface Methods {
${text}
}
`
}

function methodOf(operation: Operation): string {
  const { name, method, path } = operation
  const words = operation.summary ? `${operation.summary}. ` : ''
  const note = deprecationOf(operation)
  return `  /** ${words}\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\`${note} */
  ${name}: ${typeOf(operation)}`
}

function deprecationOf({ successor, gone }: Operation): string {
  if (gone) return `\n   * @deprecated gone: answers 410, use ${gone}`
  return successor ? `\n   * @deprecated use ${successor}` : ''
}

/** Type of a method: of a plain call, or of one with additional functions. */
function typeOf(operation: Operation): string {
  const input = inputOf(operation)
  const kind = kindOf(operation)
  if (kind === 'page') return `Listing<${input}, ${itemOf(operation)}>`
  if (kind === 'set') return `SetCall<${input}>`
  const answer = answerOf(operation, kind)
  if (isCollection(operation)) return `Collection<${input}, ${answer}>`
  return filesOf(operation).length > 0
    ? `FormCall<${input}, ${answer}>`
    : `Call<${input}, ${answer}>`
}

function answerOf(operation: Operation, kind: Kind): string {
  if (operation.gone) return 'never'
  if (kind === 'nothing') return 'void'
  if (kind === 'bytes' || kind === 'redirect') return 'Response'
  return contentType(operation, operation.success)
}

function itemOf({ answers, success }: Operation): string {
  const schema = answers[success]
  const results = schema && isPage(schema) ? schema.shape.results : undefined
  const id =
    results instanceof z.ZodArray && results.element instanceof z.ZodType
      ? results.element.meta()?.id
      : undefined
  return isName(id) ? id : `${String(schema?.meta()?.id)}['results'][number]`
}

interface Described {
  parameters?: { name: string; in: string; required: boolean; schema: JsonSchema }[]
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
  requestBody?: { content: Record<string, { schema?: JsonSchema }> }
}

function described({ path, method }: Operation): Described {
  const found = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()]
  return found as Described
}

function contentType(operation: Operation, status: number): string {
  const { content } = described(operation).responses[status] ?? {}
  const [first] = Object.values(content ?? {})
  return first ? printType(first.schema) : 'void'
}

/** Type of the input: params, query, headers and body by their names. */
function inputOf(operation: Operation): string {
  const members = [
    ...paramsOf(operation),
    ...queryOf(operation),
    ...Object.keys(operation.headers?.shape ?? {}).map(headerOf),
    ...bodyOf(operation),
  ]
  return members.length === 0 ? 'NoInput' : `{ ${members.join('; ')} }`
}

function paramsOf({ params }: Operation): string[] {
  return Object.entries(params?.shape ?? {}).map(([name, schema]) => {
    const { type } = z.toJSONSchema(schema, { unrepresentable: 'any' })
    return `${name}: ${type === 'integer' ? 'number' : 'string'}`
  })
}

function queryOf(operation: Operation): string[] {
  const query = (described(operation).parameters ?? []).filter((one) => one.in === 'query')
  return query.map(({ name, required, schema }) => {
    const type = printType(schema)
    const given = name === 'filter' ? 'Text | JsonLogic' : type === 'string' ? 'Text' : type
    return `${name}${required ? '' : '?'}: ${given}`
  })
}

const headerOf = (name: string) => (name === 'upload_offset' ? `${name}: Text` : `${name}?: string`)

function bodyOf(operation: Operation): string[] {
  const { body, media_type, method } = operation
  if (media_type) return ['body: Blob | Uint8Array<ArrayBuffer>']
  if (isBytes(body)) return [`body: ${method === 'PATCH' ? 'SetChange' : 'SetWrite'}`]
  const content = Object.values(described(operation).requestBody?.content ?? {})
  const types = content.flatMap(({ schema }) => (schema ? [printType(withFiles(schema))] : []))
  if (types.length === 0) return []
  const isNeeded = body?.safeParse({}).success === false
  return [`body${isNeeded ? '' : '?'}: ${[...new Set(types)].join(' | ')}`]
}

/** Adds the files of a form, which are one or several blobs. */
function withFiles(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(
      '"type":"string","format":"binary"',
      '"tsType":"Blob | readonly Blob[]"',
    ),
  )
}
