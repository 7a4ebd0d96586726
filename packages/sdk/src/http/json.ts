import { UnexpectedAnswer } from './errors.ts'

/** The JSON of an answer, which is believed to have the shape that is documented. @throws UnexpectedAnswer for what is none */
export async function readJson<A>(operation: string, answer: Response): Promise<A> {
  return parsed(operation, answer, await answer.text())
}

export function parsed<A>(operation: string, { headers }: Response, text: string): A {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    const type = headers.get('content-type') ?? 'nothing that is named'
    throw new UnexpectedAnswer(operation, `${type} instead of JSON`, thrown)
  }
}
