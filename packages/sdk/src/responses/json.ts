import { UnexpectedAnswer } from './errors.ts'

/** Parses the JSON of a response, whose documented type is trusted. @throws UnexpectedAnswer for invalid JSON */
export async function readJson<A>(operation: string, answer: Response): Promise<A> {
  return parseAnswerJson(operation, answer, await answer.text())
}

export function parseAnswerJson<A>(operation: string, { headers }: Response, text: string): A {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    const type = headers.get('content-type') ?? 'nothing that is named'
    throw new UnexpectedAnswer(operation, `${type} instead of JSON`, thrown)
  }
}
