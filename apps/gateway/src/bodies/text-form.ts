import multipart from '@fastify/multipart'
import { invalid } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ArrivingFile, assertBoundary, type FormFields, readForm } from './form.ts'

/** Forms that encode a body: fields are its members, `name[0]` and `name[1]` a list, files small texts. */

const limits = { files: 10, fields: 1000, parts: 1000 }
const largestFile = 64 * 1024

/** Registers routes whose bodies may be forms. */
export function withForms(app: FastifyInstance, serve: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    await scope.register(multipart)
    serve(scope)
  })
}

/**
 * Reads a form of texts.
 * @throws DomainError invalid, naming the field; too_large above `maxBytes`
 */
export async function readTextForm(request: FastifyRequest, maxBytes: number): Promise<FormFields> {
  assertBoundary(request)
  const texts: FormFields = {}
  const onFile = async (file: ArrivingFile) => {
    if (Object.hasOwn(texts, file.field)) throw createDuplicateError(file.field)
    texts[file.field] = await textOf(file)
  }
  const { signal } = new AbortController()
  const fields = await readForm(request, { limits, maxBytes, signal, onFile })
  const twice = Object.keys(texts).find((name) => Object.hasOwn(fields, name))
  if (twice !== undefined) throw createDuplicateError(twice)
  return collectLists({ ...fields, ...texts })
}

const createDuplicateError = (field: string) =>
  invalid({ [field]: 'This field may be given only once.' })

async function textOf({ field, pieces }: ArrivingFile): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    parts.push(piece)
    size += piece.length
    if (size > largestFile)
      throw invalid({ [field]: `The file is larger than ${largestFile} bytes.` })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw invalid({ [field]: 'The submitted file is not text.' })
  }
}

const indexed = /^([^[\]]+)\[(\d{1,4})\]$/

/**
 * Converts fields named `name[0]`, `name[1]` and so on to the list `name`.
 * @throws DomainError invalid when a field `name` exists as well
 */
export function collectLists(fields: FormFields): FormFields {
  const lists = new Map<string, [number, unknown][]>()
  const body: FormFields = {}
  for (const [name, value] of Object.entries(fields)) {
    const [, list, index] = indexed.exec(name) ?? []
    if (list === undefined) body[name] = value
    else {
      const items = lists.get(list) ?? []
      items.push([Number(index), value])
      lists.set(list, items)
    }
  }
  for (const [name, items] of lists) {
    if (Object.hasOwn(body, name)) throw createDuplicateError(name)
    body[name] = items.sort(([one], [other]) => one - other).map(([, value]) => value)
  }
  return body
}
