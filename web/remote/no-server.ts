/** The page as one file never looks for a server: nothing may leave it. */
export async function findServer(): Promise<null> {
  return null;
}
