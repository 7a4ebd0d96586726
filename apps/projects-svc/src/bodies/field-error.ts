import { type DomainError, invalidInput } from '@reticle/kit/call/errors'

export type Path = readonly PropertyKey[]

/** Returns a 400 error at one path of the body, nested as the body is: `{"labels":[{},{"name":["..."]}]}`. */
export function fieldError(path: Path, message: string): DomainError {
  return invalidInput([{ code: 'custom', path: [...path], message, input: null }])
}

/** Returns the error text of an id without a row. */
export const noSuchObject = (id: number) => `Invalid pk "${id}" - object does not exist.`

/** Returns the error of a missing required field. */
export function missingField(path: Path): DomainError {
  const message = 'This field is required.'
  return invalidInput([
    { code: 'invalid_type', expected: 'string', path: [...path], message, input: undefined },
  ])
}
