/** Runs a function for each item of a list, a limited number at a time; results are in the order of the list. */
export async function atOnce<T, A>(
  width: number,
  list: readonly T[],
  work: (one: T) => Promise<A>,
): Promise<A[]> {
  const answers: A[] = []
  let next = 0
  const takeTurns = async () => {
    for (let index = next++; index < list.length; index = next++) {
      const one = list[index]
      if (one !== undefined) answers[index] = await work(one)
    }
  }
  await Promise.all(Array.from({ length: width }, takeTurns))
  return answers
}
