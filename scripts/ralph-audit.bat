@echo off
rem ralph-audit.sh on Windows: in WSL, which is a Linux, else in Git Bash.
setlocal
set "HERE=%~dp0"
set "WSLENV=RALPH_MAX_ITERATIONS:RALPH_COMPLETION_SIGNAL:RALPH_CIRCUIT_BREAKER_THRESHOLD:%WSLENV%"

rem wsl.exe is there also without a Linux behind it.
set "SCRIPT="
where /q wsl.exe || goto gitbash
wsl.exe -e bash -c "exit 0" >nul 2>nul || goto gitbash
for /f "usebackq delims=" %%P in (`wsl.exe -e wslpath -u "%HERE%ralph-audit.sh"`) do set "SCRIPT=%%P"
if not defined SCRIPT goto gitbash
wsl.exe -e bash "%SCRIPT%" %*
exit /b %errorlevel%

:gitbash
rem Never the first bash on PATH: that of Windows itself is WSL's.
set "GITBASH="
for /f "delims=" %%G in ('where git.exe 2^>nul') do if exist "%%~dpG..\bin\bash.exe" set "GITBASH=%%~dpG..\bin\bash.exe"
if not defined GITBASH if exist "%ProgramFiles%\Git\bin\bash.exe" set "GITBASH=%ProgramFiles%\Git\bin\bash.exe"
if not defined GITBASH if exist "%LocalAppData%\Programs\Git\bin\bash.exe" set "GITBASH=%LocalAppData%\Programs\Git\bin\bash.exe"
if not defined GITBASH goto missing
"%GITBASH%" "%HERE:\=/%ralph-audit.sh" %*
exit /b %errorlevel%

:missing
echo ralph: neither WSL nor Git Bash was found 1>&2
echo hint: run wsl --install, then install git, python3 and Claude Code inside it 1>&2
exit /b 2
