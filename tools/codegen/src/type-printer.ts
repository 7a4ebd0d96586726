/** A JSON Schema as zod generates it. */
export interface JsonSchema {
  type?: string | string[]
  tsType?: string
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  description?: string
  deprecated?: boolean
}

export const isName = (given: unknown): given is string =>
  typeof given === 'string' && /^[A-Z]\w*$/.test(given)

/** Prints an exported type with a name. */
export function printInterface(name: string, schema: JsonSchema): string {
  if (!isName(name)) throw new Error(`${name} cannot be the name of a type`)
  const words = schema.description ? `/** ${schema.description} */\n` : ''
  if (!schema.properties || hasOthers(schema))
    return `${words}export type ${name} = ${printType(schema)}\n`
  return `${words}export interface ${name} {\n${members(schema)
    .map((one) => `  ${one}\n`)
    .join('')}}\n`
}

/**
 * Prints a type in one line.
 * @throws Error for a schema that this printer does not support, instead of printing `unknown`
 */
export function printType(schema: JsonSchema): string {
  if (schema.tsType) return schema.tsType
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map(printType))
  if (schema.allOf) return schema.allOf.map(printType).join(' & ')
  if (Array.isArray(schema.type))
    return union(schema.type.map((type) => printType({ ...schema, type })))
  const print = printers[schema.type ?? 'any']
  if (!print) throw new Error(`no words for ${JSON.stringify(schema)}`)
  return print(schema)
}

const printers: Record<string, (schema: JsonSchema) => string> = {
  any: () => 'unknown',
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items, prefixItems }) => {
    if (prefixItems) return `[${prefixItems.map(printType).join(', ')}]`
    const item = items ? printType(items) : 'unknown'
    return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`
  },
  object: (schema) => {
    const others = hasOthers(schema) ? printRecord(schema) : ''
    if (!schema.properties) return others || 'Record<string, unknown>'
    const own = `{ ${members(schema).join('; ')} }`
    return others ? `${own} & ${others}` : own
  },
}

const hasOthers = ({ additionalProperties }: JsonSchema) => typeof additionalProperties === 'object'

function printRecord({ additionalProperties, propertyNames, required }: JsonSchema): string {
  const value =
    typeof additionalProperties === 'object' ? printType(additionalProperties) : 'unknown'
  const key = propertyNames?.enum ? printType(propertyNames) : 'string'
  const record = `Record<${key}, ${value}>`
  return key === 'string' || required ? record : `Partial<${record}>`
}

function members({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${required.includes(name) ? '' : '?'}: ${printType(schema)}`
  })
}

const union = (types: string[]) => [...new Set(types)].join(' | ')
