// Runs several test files in one process: node test/together.mjs FOLDER, with their names in TEST_FILES, separated by
// spaces. The modules of the agent, which most of the files share, are then loaded once. tap names the folders of
// fixtures after the command line, which is therefore short and differs for each folder.
for (const name of (process.env.TEST_FILES ?? '').split(' ')) await import(`../build/test/${name}.test.js`);
