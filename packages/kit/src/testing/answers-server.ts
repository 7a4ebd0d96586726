import { type AnswerName, answerNames, startAnswer } from './answers.ts'

/** The process of `answers-process.ts`: every server of `answers.ts`, until it is ended. */

/** Where each is. */
export interface FromAnswers {
  urls: Record<AnswerName, string>
  /** Certificates that are to be trusted, in PEM. */
  ca: string
}

const started = await Promise.all(
  answerNames.map(async (name) => ({ name, ...(await startAnswer(name)) })),
)
const urls = Object.fromEntries(started.map(({ name, url }) => [name, url]))
process.send?.({ urls, ca: started.map(({ ca = '' }) => ca).join('') })
process.once('disconnect', () => process.exit(0))
