import { type DomainError, invalidInput } from '@reticle/kit/errors'

export type Path = readonly PropertyKey[]

/** A 400 about one place of the body, nested as the body is: `{"labels":[{},{"name":["..."]}]}`. */
export function fieldError(path: Path, message: string): DomainError {
  return invalidInput([{ code: 'custom', path: [...path], message, input: null }])
}

/** The text about an id that names nothing. */
export const noSuchObject = (id: number) => `Invalid pk "${id}" - object does not exist.`

/** A field that had to be there. */
export function missingField(path: Path): DomainError {
  const message = 'This field is required.'
  return invalidInput([
    { code: 'invalid_type', expected: 'string', path: [...path], message, input: undefined },
  ])
}
