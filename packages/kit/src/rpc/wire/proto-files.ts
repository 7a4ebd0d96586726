import {
  isBytes,
  listServiceOperations,
  type Operation,
  type Operations,
  requestSchema,
} from '@reticle/contracts/api/operation'
import { z } from 'zod'
import { ambiguousKeys } from './message.ts'

/**
 * Field numbers of the previous files, by message and field. They never
 * change, and the number of a removed field stays reserved.
 */
type Numbers = Map<string, Map<string, number>>

interface Field {
  name: string
  type: string
  label: '' | 'optional ' | 'repeated '
}
interface Message {
  name: string
  fields: Field[]
  hasCleared: boolean
  hasData: boolean
  /** Files that use it; a message of several files moves to `common.proto`. */
  users: Set<string>
}

const clearedNumber = 100
const common = `// Bytes of a streamed answer: the first message is the head, every other one a piece.
message Chunk {
  Head head = 1;
  bytes data = 2;
}
message Head {
  optional string type = 1;
  optional string etag = 2;
  optional int64 length = 3;
  optional int32 max_age = 4;
  optional string checksum = 5;
  optional string updated_date = 6;
  optional bool has_ranges = 7;
}
message Nothing {}
`

/**
 * Generates the `.proto` files of the tables: one service per table, one message per schema with `.meta({ id })`. Field
 * numbers are taken from the `previous` files. Returns the texts by file name.
 */
export function protoFiles(
  tables: Record<string, Operations>,
  previous: Record<string, string>,
): Record<string, string> {
  const numbers = readNumbers(Object.values(previous).join('\n'))
  const messages = new Map<string, Message>()
  const services = Object.entries(tables).map(([file, table]) => [
    file,
    service(file, table, messages),
  ])
  const files: [string, string][] = services.map(([file = '', text = '']) => {
    const own = [...messages.values()].filter((one) => one.users.size === 1 && one.users.has(file))
    return [`${file}.proto`, fileText(text, own, numbers, ['common.proto'])]
  })
  const shared = [...messages.values()].filter((one) => one.users.size > 1)
  return Object.fromEntries([...files, ['common.proto', fileText(common, shared, numbers, [])]])
}

function service(file: string, table: Operations, messages: Map<string, Message>): string {
  const calls = listServiceOperations(table)
  const lines = calls.map((one) => `  rpc ${one.rpc}(${request(one)}) returns (${answer(one)});`)
  for (const one of calls) {
    const name = `${one.rpc}Request`
    collect(requestSchema(one), name, file, messages)
    const message = messages.get(name)
    if (message) message.hasData = isBytes(one.body)
    if (!isBytes(one.answer) && !(one.answer instanceof z.ZodUndefined))
      collect(one.answer, `${one.rpc}Answer`, file, messages)
  }
  return `service ${calls[0]?.service} {\n${lines.join('\n')}\n}\n`
}

const request = ({ rpc, body }: Operation) => `${isBytes(body) ? 'stream ' : ''}${rpc}Request`

function answer({ rpc, answer: schema }: Operation): string {
  if (isBytes(schema)) return 'stream Chunk'
  return schema instanceof z.ZodUndefined ? 'Nothing' : nameOf(schema, `${rpc}Answer`)
}

function nameOf(schema: z.core.$ZodType, fallback: string): string {
  return z.globalRegistry.get(schema)?.id ?? fallback
}

/** Adds the message of an object schema, and those of the objects in it. Returns its name. */
function collect(
  schema: z.core.$ZodType,
  fallback: string,
  file: string,
  messages: Map<string, Message>,
): string {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type !== 'object')
    throw new TypeError(`${fallback}: a message is made of an object, not of ${def.type}`)
  const name = nameOf(schema, fallback)
  const known = messages.get(name)
  if (known?.users.has(file)) return name
  const message = known ?? { name, fields: [], hasCleared: false, hasData: false, users: new Set() }
  message.users.add(file)
  messages.set(name, message)
  const typeOf = (inner: z.core.$ZodType, key: string) =>
    typeName(inner, (object) => collect(object, name + pascal(key), file, messages))
  message.fields = Object.entries(def.shape).map(([key, inner]) => ({
    name: key,
    ...typeOf(inner, key),
  }))
  message.hasCleared = ambiguousKeys(def.shape).length > 0
  return name
}

type Typed = Pick<Field, 'type' | 'label'>

const jsonText: Typed = { type: 'string', label: 'optional ' }
const isList = (schema: z.core.$ZodType) =>
  ['array', 'record'].includes((schema as z.core.$ZodTypes)._zod.def.type)

function typeName(schema: z.core.$ZodType, objectName: (schema: z.core.$ZodType) => string): Typed {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const inner = (one: z.core.$ZodType) => typeName(one, objectName)
  switch (def.type) {
    case 'number':
      return { type: numberType(schema), label: '' }
    case 'boolean':
      return { type: 'bool', label: '' }
    case 'object':
      return { type: objectName(schema), label: '' }
    case 'array':
      return { type: inner(def.element).type, label: 'repeated ' }
    case 'record':
      return { type: `map<string, ${inner(def.valueType).type}>`, label: '' }
    case 'nullable':
      return isList(def.innerType) ? jsonText : optional(inner(def.innerType))
    case 'optional':
      return optional(inner(def.innerType))
    case 'default':
    case 'prefault':
    case 'readonly':
      return inner(def.innerType)
    case 'pipe':
      return inner(def.out as z.core.$ZodType)
    case 'union':
      return inner(def.options[0] as z.core.$ZodType)
    case 'unknown':
      return jsonText
    default:
      return { type: 'string', label: '' }
  }
}

function optional({ type, label }: Typed): Typed {
  const isScalar = /^[a-z]/.test(type) && !type.startsWith('map<')
  return { type, label: label === '' && isScalar ? 'optional ' : label }
}

/** Returns the type of a number: 32 bits if the schema limits it so, otherwise 64; `double` for fractions. */
function numberType(schema: z.core.$ZodType): string {
  const { isInt, maxValue } = schema as z.ZodNumber
  if (!isInt) return 'double'
  return maxValue !== null && maxValue <= 2_147_483_647 ? 'int32' : 'int64'
}

function fileText(
  service: string,
  messages: Message[],
  numbers: Numbers,
  imports: string[],
): string {
  const sorted = messages.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    '// Written by `npm run codegen` from the tables of operations. Do not edit.',
    'syntax = "proto3";',
    'package reticle.v1;',
    ...imports.map((name) => `import "${name}";`),
    '',
    service,
    ...sorted.map((one) => messageText(one, numbers.get(one.name) ?? new Map())),
  ].join('\n')
}

function messageText(
  { name, fields, hasCleared, hasData }: Message,
  given: Map<string, number>,
): string {
  const next = numberer(given)
  const lines = fields.map(
    (field) => `  ${field.label}${field.type} ${field.name} = ${next(field.name)};`,
  )
  if (hasCleared) lines.push(`  repeated string cleared = ${clearedNumber};`)
  if (hasData) lines.push(`  bytes data = ${clearedNumber};`)
  const kept = new Set([...fields.map((field) => field.name), 'cleared', 'data'])
  const removed = [...given].filter(([field]) => !kept.has(field) || field.startsWith('reserved '))
  if (removed.length > 0)
    lines.unshift(`  reserved ${removed.map(([, number]) => number).join(', ')};`)
  return lines.length === 0 ? `message ${name} {}\n` : `message ${name} {\n${lines.join('\n')}\n}\n`
}

function numberer(given: Map<string, number>): (field: string) => number {
  let last = Math.max(0, ...[...given.values()].filter((number) => number !== clearedNumber))
  return (field) => {
    const known = given.get(field)
    if (known !== undefined) return known
    last += last + 1 === clearedNumber ? 2 : 1
    return last
  }
}

function readNumbers(text: string): Numbers {
  const messages = text.matchAll(/^message (\w+) \{\n([^}]*)^\}/gm)
  return new Map(
    [...messages].map(([, name = '', body = '']) => {
      const fields = [...body.matchAll(/(\w+) = (\d+);/g)].map(
        ([, field = '', number = '']): [string, number] => [field, Number(number)],
      )
      const gone = [...(body.match(/reserved ([\d, ]+);/)?.[1]?.matchAll(/\d+/g) ?? [])]
      const reserved = gone.map(([number]): [string, number] => [
        `reserved ${number}`,
        Number(number),
      ])
      return [name, new Map([...fields, ...reserved])]
    }),
  )
}

function pascal(key: string): string {
  return key.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
